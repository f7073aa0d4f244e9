"""Triangles to pixels: a depth buffer, shading and a floor, compiled, without a display.

A point p of the scene is seen at

    x = w/2 + f (p − e)·right / z,   y = h/2 − f (p − e)·upright / z,   z = (p − e)·ahead,
    f = h / (2 tan(fov/2))

and 1/z is linear over a triangle on the screen, so that it decides what is in front.  Light comes
from the sky, brighter above, and from a lamp at the direction l:

    colour = base (a + s (1 + n·u)/2 + d max(n·l, 0)) + g max(n·b, 0)^m,   b between l and the eye
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.kernels.compiled import compiled, inlined

AMBIENT, SKY, LAMP, GLOSS, SHARP = 0.36, 0.24, 0.54, 0.10, 40.0
SHADOW = 0.20  # how much darker the floor is in the shade
CELL, SECTION = (0.868, 0.882, 0.902), (0.745, 0.768, 0.804)  # lines of the floor


@inlined
def covered(a, b, c, size):
    """The first and the last pixel of so many that three corners span."""
    return max(int(min(a, b, c)), 0), min(int(max(a, b, c)) + 1, size - 1)


@inlined
def doubled_area(xi, yi, xj, yj, xk, yk):
    """Twice the area of a triangle on the screen, with the sign of its sense."""
    return (xj - xi) * (yk - yi) - (xk - xi) * (yj - yi)


@compiled
def draw_triangles(screen, normals, faces, colours, opacity, light, up, half, image, depth):
    """Draw triangles over an image (h, w, 3) with the depth buffer 1/z (h, w).

    screen : (V, 3) x, y, 1/z (not positive behind the eye);   normals : (V, 3), world axes
    colours : (F, 3) from 0 to 1;   opacity : (F,); what is transparent leaves the depth buffer
    half : the direction between lamp and eye
    """
    h, w = depth.shape
    for f in range(faces.shape[0]):
        i, j, k = faces[f, 0], faces[f, 1], faces[f, 2]
        zi, zj, zk = screen[i, 2], screen[j, 2], screen[k, 2]
        if zi <= 0.0 or zj <= 0.0 or zk <= 0.0:
            continue
        xi, yi, xj, yj = screen[i, 0], screen[i, 1], screen[j, 0], screen[j, 1]
        xk, yk = screen[k, 0], screen[k, 1]
        area = doubled_area(xi, yi, xj, yj, xk, yk)
        if abs(area) < 1e-9:
            continue
        side = -1.0 if area > 0.0 else 1.0  # y points down: fronts turn the other way
        left, right = covered(xi, xj, xk, w)
        top, bottom = covered(yi, yj, yk, h)
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                px, py = x + 0.5, y + 0.5
                a = doubled_area(px, py, xj, yj, xk, yk) / area
                b = doubled_area(px, py, xk, yk, xi, yi) / area
                c = 1.0 - a - b
                if a < 0.0 or b < 0.0 or c < 0.0:
                    continue
                z = a * zi + b * zj + c * zk
                if z <= depth[y, x]:
                    continue
                a, b, c = a * zi / z, b * zj / z, c * zk / z  # in space, not on the screen
                nx = a * normals[i, 0] + b * normals[j, 0] + c * normals[k, 0]
                ny = a * normals[i, 1] + b * normals[j, 1] + c * normals[k, 1]
                nz = a * normals[i, 2] + b * normals[j, 2] + c * normals[k, 2]
                n = side / math.sqrt(nx * nx + ny * ny + nz * nz + 1e-30)
                nx, ny, nz = n * nx, n * ny, n * nz
                lit = max(nx * light[0] + ny * light[1] + nz * light[2], 0.0)
                sky = 0.5 + 0.5 * (nx * up[0] + ny * up[1] + nz * up[2])
                shine = max(nx * half[0] + ny * half[1] + nz * half[2], 0.0)
                factor = AMBIENT + SKY * sky + LAMP * lit
                gloss = GLOSS * shine**SHARP
                o = opacity[f]
                for q in range(3):
                    new = min(colours[f, q] * factor + gloss, 1.0)
                    image[y, x, q] += o * (new - image[y, x, q])
                if o >= 1.0:
                    depth[y, x] = z


@compiled
def draw_shade(screen, faces, shade):
    """Mark the pixels (h, w) that triangles cover."""
    h, w = shade.shape
    for f in range(faces.shape[0]):
        i, j, k = faces[f, 0], faces[f, 1], faces[f, 2]
        if screen[i, 2] <= 0.0 or screen[j, 2] <= 0.0 or screen[k, 2] <= 0.0:
            continue
        xi, yi, xj, yj = screen[i, 0], screen[i, 1], screen[j, 0], screen[j, 1]
        xk, yk = screen[k, 0], screen[k, 1]
        area = doubled_area(xi, yi, xj, yj, xk, yk)
        if abs(area) < 1e-9:
            continue
        left, right = covered(xi, xj, xk, w)
        top, bottom = covered(yi, yj, yk, h)
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                px, py = x + 0.5, y + 0.5
                a = doubled_area(px, py, xj, yj, xk, yk) / area
                b = doubled_area(px, py, xk, yk, xi, yi) / area
                if a >= 0.0 and b >= 0.0 and a + b <= 1.0:
                    shade[y, x] = 1.0


@inlined
def floor_point(x, y, eye, ahead, across, upwards, height, axis):
    """Where the ray through a pixel meets the floor: 1/z (not positive: nowhere), and the point.

    across, upwards : how the direction of the ray changes per pixel to the right and down
    """
    d0 = ahead[0] + x * across[0] + y * upwards[0]
    d1 = ahead[1] + x * across[1] + y * upwards[1]
    d2 = ahead[2] + x * across[2] + y * upwards[2]
    fall = d0 if axis == 0 else d1 if axis == 1 else d2
    if fall == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    t = (height - eye[axis]) / fall
    if t <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    return 1.0 / t, eye[0] + t * d0, eye[1] + t * d1, eye[2] + t * d2


@compiled
def draw_floor(eye, ahead, across, upwards, height, axis, cell, reach, shade, image, depth):
    """Draw the lines of the floor and the shade on it, fading out at the distance `reach`."""
    h, w = depth.shape
    for y in range(h):
        for x in range(w):
            px, py = x + 0.5 - 0.5 * w, y + 0.5 - 0.5 * h
            z, p0, p1, p2 = floor_point(px, py, eye, ahead, across, upwards, height, axis)
            if z <= depth[y, x]:
                continue
            _, r0, r1, r2 = floor_point(px + 1, py, eye, ahead, across, upwards, height, axis)
            _, s0, s1, s2 = floor_point(px, py + 1, eye, ahead, across, upwards, height, axis)
            d0, d1, d2 = p0 - eye[0], p1 - eye[1], p2 - eye[2]
            fade = math.exp(-(d0 * d0 + d1 * d1 + d2 * d2) / (reach * reach))
            thin = thick = 0.0
            for q in range(3):
                if q == axis:
                    continue
                p = p0 if q == 0 else p1 if q == 1 else p2
                r = r0 if q == 0 else r1 if q == 1 else r2
                s = s0 if q == 0 else s1 if q == 1 else s2
                pixel = abs(r - p) + abs(s - p)  # of the floor, across the line
                for large in range(2):
                    gap = 5.0 * cell if large else cell
                    off = abs(p / gap - math.floor(p / gap + 0.5)) * gap
                    cover = min(max(1.3 - off / pixel, 0.0), 1.0) * min(gap / (6.0 * pixel), 1.0)
                    if large:
                        thick = max(thick, cover)
                    else:
                        thin = max(thin, cover)
            dark = 1.0 - SHADOW * fade * shade[y, x]
            for q in range(3):
                c = image[y, x, q] * dark
                c += fade * thin * (CELL[q] * dark - c)
                image[y, x, q] = c + fade * thick * (SECTION[q] * dark - c)


def blurred(shade: np.ndarray, radius: int) -> np.ndarray:
    """Soft edges: the mean over squares, twice."""
    from scipy.ndimage import uniform_filter

    return uniform_filter(uniform_filter(shade, 2 * radius + 1), 2 * radius + 1)
