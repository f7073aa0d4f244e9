"""The words of docs/speed.md; `speed_page` puts the numbers in."""

PAGE = """# Speed

Written by `make bench`; do not edit by hand. linkwork and other programs from PyPI ran in
turns on the same machine, each in processes of its own with one thread; medians of {runs} runs.

## Time of a step beside Exudyn

Exudyn {version}. Times are per step of the time loop, in µs. The last two columns say how many
times linkwork's CPU time Exudyn needs: with Newton's tolerance as it comes (1e-8), and with a
tolerance as loose as the answer allows. All its other settings were searched for speed in both
cases.

| mechanism | steps | linkwork CPU | wall | Exudyn CPU | wall | loose CPU | wall | / ours | loose |
|---|---|---|---|---|---|---|---|---|---|
{times}

Both: generalized-alpha with ρ = 0.8, h = 1e-3 s, absolute coordinates.

![CPU time per step against N](images/speed.png)

### The answers are the same

A time counts only when the end positions of all bodies in the two programs differ by less than
the error of the method at this step, 4/3 |x(h) − x(h/2)|. Energy error is that of linkwork at the
end, over the work of gravity until then; violation is that of all constraint rows.

| mechanism | positions differ, m | error of the method, m | linkwork's violation | energy error |
|---|---|---|---|---|
{errors}

## Andrews' squeezer at a given accuracy

To t = 0.05 s with the crank end F within 1e-5 m of the reference: of the IVP test set's problem,
F(0.05 s) = (−5.208504722e-3, 4.676695260e-3) m. For linkwork {tried_ours} methods and for Exudyn
{tried_theirs} settings were tried, each with the fewest steps whose answer is right, also with 5
and 10 % more of them. CPU and wall time are those of the whole run in ms, from the described model
to the end, without output. Energy error is over the kinetic energy at the end.

| program | setting | steps | CPU, ms | wall, ms | / ours | error, m | violation | energy error |
|---|---|---|---|---|---|---|---|---|
{squeezer}

linkwork has seven bodies in space, Exudyn in the plane.

{sections}
## Output

A whole run of 100 bodies over 10,000 steps, with every step stored ({stored} MB) and with none.

| | CPU, s | wall, s | adds | peak memory, MB |
|---|---|---|---|---|
{output}

Each is the second of two such runs in a process: the first time that a process fills {stored} MB
takes {fresh} s on this machine by itself, while the system finds the memory. With a file the
checksum and the disk come on top, and memory stays bounded.

## Threads

linkwork steps all models in one thread. That two are allowed (OpenMP, BLAS, numba) must not slow
small models down; µs per step:

| | one: CPU | wall | two: CPU | wall |
|---|---|---|---|---|
{threads}

The exact constraint stiffness takes {stiffness} % of a run of 100 bodies.

## What was compared

- *Chain*: N links of 1 m and 1 kg in space, hinge axes alternating, falling from horizontal.
  *Tree*: the same links, two at the end of each. *Separate chains*: 100 of three links in a model.
- *Four-bars*: N parallelograms in a row (IFToMM A02). linkwork has them in space, with
  six coordinates per body and redundant hinges; Exudyn has its planar bodies and joints, three
  coordinates per body. This favours Exudyn.
- Both programs integrate absolute coordinates in the first table. Exudyn's minimal coordinates
  (kinematic trees) and explicit methods are another formulation and were not measured.
- Timed in the first table is the loop over the steps. Building the model and initial accelerations
  are left out on both sides, as is compiling or loading compiled code, which only linkwork needs.
  This favours linkwork in short runs. Exudyn's first Jacobian falls into its loop and linkwork's
  first choice of pivots does not: about 3 % of Exudyn's time in the chain of 1000 links over 100
  steps, less elsewhere.
- linkwork runs with its defaults. Exudyn runs without range checks (its fast module), without
  output, with reused sparsity patterns, and with the fastest setting found for each mechanism. The
  search goes in stages, not over all combinations: linear solver (EigenSparse; up to 50 bodies
  EXUdense and EigenDense) and rotations (Euler parameters, rotation vectors on the Lie group,
  angles); full or modified Newton; the contractivity at which modified Newton renews its matrix, in
  brackets below (0.02 to 0.5); then the same with tolerances from 1e-6 to 1e-3.

| mechanism | linear solver | rotations | Newton | tolerance | loose: Newton | tolerance |
|---|---|---|---|---|---|---|
{settings}

Programs that are not on PyPI are not compared.
"""
