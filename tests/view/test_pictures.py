"""Pictures and films without a display: a ball is where a pinhole camera puts it, what is in front
covers what is behind, the camera follows, files have the pictures and the times they should."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from inside import Part, draw, merged, shot
from PIL import Image

import linkwork as lw
from linkwork.view.camera import following, way_of
from linkwork.view.pictures.film import Film
from linkwork.view.pictures.picture import Studio, vertex_normals

MAGENTA, GREEN = (255, 0, 255), (0, 255, 0)


def crank() -> lw.Model:
    """An arm that turns at 1 rad/s with a ball at (cos t, 0, sin t)."""
    m = lw.Model("crank")
    ball = {"kind": "sphere", "radius": 0.12, "color": MAGENTA}
    arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(1, 0, 0), shape=ball))
    m.add("motor", lw.Motor(lw.GROUND, arm, at=(0, 0, 0), axis=(0, -1, 0), angle=lw.ramp(1.0)))
    return m


def balls(*places, colours=(MAGENTA, GREEN)) -> lw.Result:
    """Balls at rest in space."""
    m = lw.Model("balls")
    for k, (place, colour) in enumerate(zip(places, colours)):
        shape = {"kind": "sphere", "radius": 0.2, "color": colour}
        m.add(f"ball {k}", lw.Body(1, (1, 1, 1), position=place, shape=shape))
    return lw.transient(m, t=0.1, h=0.1, progress=False)


@pytest.fixture(scope="module")
def turning():
    return lw.kinematics(crank(), t=4, h=0.05)


def pixels(image: Image.Image, colour) -> np.ndarray:
    """(n, 2): x and y of the pixels of about that colour."""
    picture = np.asarray(image.convert("RGB"), float) / 255
    wanted = np.array(colour) / 255
    strong = picture[..., wanted > 0].min(axis=-1)
    weak = picture[..., wanted == 0].max(axis=-1)
    rows, columns = np.nonzero((strong > 0.25) & (weak < 0.5 * strong))
    return np.column_stack([columns + 0.5, rows + 0.5])


def projected(look, point, w, h) -> np.ndarray:
    """A pinhole camera, written anew: basis by Gram and Schmidt, similar triangles."""
    ahead = (look.target - look.position) / np.linalg.norm(look.target - look.position)
    up = look.up - (look.up @ ahead) * ahead
    up /= np.linalg.norm(up)
    right = np.cross(ahead, up)
    d = np.asarray(point) - look.position
    scale = h / 2 / np.tan(look.fov / 2) / (d @ ahead)
    return np.array([w / 2 + scale * (d @ right), h / 2 - scale * (d @ up)])


@pytest.mark.parametrize("side", ["home", "front", "side", "top"])
def test_a_ball_is_where_a_pinhole_camera_puts_it(turning, side):
    drawing = draw(turning)
    for t in (0.0, 1.3, 2.6):
        image = turning.picture(t=t, size=(640, 360), side=side, text=False).image
        seen = pixels(image, MAGENTA)
        place = projected(shot(drawing, side), (np.cos(t), 0, np.sin(t)), 640, 360)
        assert len(seen) > 100
        middle = (seen.min(axis=0) + seen.max(axis=0)) / 2
        assert middle == pytest.approx(place, abs=3.0)  # symbols may cover a part


def test_what_is_in_front_covers_what_is_behind():
    run = balls((0, 0, 0), (0, 1, 0))  # the front view looks along y
    image = run.picture(size=(320, 200), side="front", text=False).image
    assert len(pixels(image, MAGENTA)) > 300 and len(pixels(image, GREEN)) < 10
    run = balls((0, 0, 0), (0, -1, 0))
    image = run.picture(size=(320, 200), side="front", text=False).image
    assert len(pixels(image, GREEN)) > 300 and len(pixels(image, MAGENTA)) < 10


def test_a_ball_covers_the_area_of_its_circle():
    """The outline of a sphere of radius r at distance d is a circle of radius f r/√(d² − r²)."""
    run = balls((0, 0, 0), (5, 0, 0))
    drawing = draw(run)
    look = shot(drawing, "front")
    seen = pixels(run.picture(size=(1280, 720), side="front", text=False).image, MAGENTA)
    d = abs(look.position[1])
    radius = 720 / 2 / np.tan(look.fov / 2) * 0.2 / np.sqrt(d * d - 0.2 * 0.2)
    assert np.ptp(seen[:, 1]) + 1 == pytest.approx(2 * radius, abs=2.5)


def test_normals_of_a_sphere_point_outwards():
    vertices, faces = merged([Part("sphere", (2.0,))])
    assert np.abs(vertex_normals(vertices, faces) - vertices / 2.0).max() < 0.15


def test_the_camera_follows_a_body(turning):
    drawing = draw(turning)
    look, way = shot(drawing, follow="arm"), way_of(drawing, "arm")
    studio = Studio(drawing, (320, 200), look=look)
    places = []
    for i in (0, 30, 60):
        seen = pixels(studio.take(i, following(look, way, i)), MAGENTA)
        places.append(seen.mean(axis=0))
    assert np.ptp(places, axis=0).max() < 4  # the ball stays where it is in the picture
    with pytest.raises(lw.ModelError, match="follow must name a body"):
        turning.animate("x.gif", follow="nobody")


def vehicle(*, parts: int = 3, speed: float = 10.0) -> lw.Result:
    """Balls in a row; the first `parts` of three drive away along x for 10 s."""
    m = lw.Model("vehicle")
    for k, colour in enumerate((MAGENTA, GREEN, (0, 0, 255))):
        shape = {"kind": "sphere", "radius": 0.2, "color": colour}
        motion = {"velocity": (speed if k < parts else 0.0, 0, 0)}
        m.add(f"ball {k}", lw.Body(1, (1, 1, 1), position=(0, k, 0), shape=shape, **motion))
    return lw.transient(m, t=10, h=0.1, progress=False)


def test_pictures_and_films_look_where_a_vehicle_is(tmp_path):
    """After 100 m it is as large and in the middle as at the start; "ground" stays behind."""
    run = vehicle()
    first = pixels(run.picture(t=0.0, size=(320, 200), text=False).image, GREEN)
    for t in (4.0, 10.0):
        seen = pixels(run.picture(t=t, size=(320, 200), text=False).image, GREEN)
        assert np.abs(seen.mean(axis=0) - first.mean(axis=0)).max() < 1.0
        assert len(seen) == pytest.approx(len(first), rel=0.05)
        assert len(pixels(run.picture(t=t, follow="ground", text=False).image, GREEN)) == 0
    run.animate(tmp_path / "drive.gif", size=(320, 200), fps=5)
    with Image.open(tmp_path / "drive.gif") as film:
        film.seek(film.n_frames - 1)
        assert len(pixels(film, GREEN)) > 0.5 * len(first)


def test_the_camera_stays_with_a_machine_that_loses_a_part():
    run = vehicle(parts=1)
    image = run.picture(t=10.0, size=(320, 200), text=False).image
    assert len(pixels(image, GREEN)) > 100 and len(pixels(image, MAGENTA)) == 0
    image = run.picture(t=10.0, size=(320, 200), text=False, follow="ball 0").image
    assert len(pixels(image, GREEN)) < 5 and len(pixels(image, MAGENTA)) > 100  # far behind it


def test_picture_files_and_notebooks(turning, tmp_path):
    made = turning.picture(tmp_path / "p.png", t=1.0, size=(321, 201))
    assert Image.open(tmp_path / "p.png").size == (320, 200)  # even, as films want them
    assert Image.open(io.BytesIO(made._repr_png_())).size == (320, 200)
    assert crank().picture(size=(64, 48)).image.size == (64, 48)
    with pytest.raises(lw.ModelError, match=r"is a \.png, \.jpg or \.webp file"):
        turning.picture(tmp_path / "p.txt")
    with pytest.raises(lw.ModelError, match="size of a picture"):
        turning.picture(size=(4, 4))
    with pytest.raises(lw.ModelError, match="goes from t = 0 to 4"):
        turning.picture(t=5.0)
    with pytest.raises(lw.ModelError, match="side must be one of"):
        turning.picture(side="below")


def test_a_gif_plays_the_run_at_true_speed(tmp_path):
    run = lw.kinematics(crank(), t=1, h=0.05)
    film = run.animate(tmp_path / "crank.gif", size=(160, 120), fps=10)
    assert isinstance(film, Film) and film.pictures == 11
    gif = Image.open(tmp_path / "crank.gif")
    assert gif.n_frames == 11 and gif.size == (160, 120)
    assert gif.info["duration"] == 100
    look = shot(draw(run))
    gif.seek(10)
    seen = pixels(gif.convert("RGB"), MAGENTA).mean(axis=0)
    assert seen == pytest.approx(projected(look, (np.cos(1), 0, np.sin(1)), 160, 120), abs=3)
    assert "image/gif" in film._repr_html_()


def test_an_mp4_has_its_pictures(tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    run = lw.kinematics(crank(), t=0.6, h=0.02)
    film = run.animate(tmp_path / "crank.mp4", size=(160, 120), speed=0.5, fps=25)
    assert film.pictures == 31
    count, seconds = ffmpeg.count_frames_and_secs(str(tmp_path / "crank.mp4"))
    assert count == 31 and seconds == pytest.approx(31 / 25, abs=0.05)
    reader = ffmpeg.read_frames(str(tmp_path / "crank.mp4"))
    assert next(reader)["size"] == (160, 120)
    first = Image.frombytes("RGB", (160, 120), next(reader))
    reader.close()
    place = projected(shot(draw(run)), (1, 0, 0), 160, 120)
    assert pixels(first, MAGENTA).mean(axis=0) == pytest.approx(place, abs=4)


def test_a_film_without_its_package_is_one_sentence(turning, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(lw.LinkworkError, match=r"pip install 'linkwork\[video\]'"):
        turning.animate(tmp_path / "x.mp4")


def test_pages_have_no_film_options_and_other_files_are_refused(turning, tmp_path):
    with pytest.raises(lw.ModelError, match="a page has no size"):
        turning.animate(tmp_path / "x.html", size=(10, 10))
    with pytest.raises(lw.ModelError, match=r"\(\.mp4, \.gif\)"):
        turning.animate(tmp_path / "x.avi")


def test_a_whole_number_is_a_time_too(turning):
    one, other = (np.asarray(turning.picture(t=t, size=(160, 100)).image) for t in (1, 1.0))
    assert np.array_equal(one, other)


def test_the_floor_lies_below_a_craft_that_sinks():
    """A body that moves 200 m ahead and 10 m down from z = 50 m is followed."""
    m = lw.Model("glide")
    m.add("craft", lw.Body(1, (1, 1, 1), position=(0, 0, 50), velocity=(20, 0, -1),
                           shape={"kind": "sphere", "radius": 0.5}))  # fmt: skip
    run = lw.transient(m, t=10, h=0.1, progress=False)
    assert 39 < shot(draw(run)).floor[2] < 40
