"""`python -m linkwork.cli` is `linkwork`."""

from linkwork.cli import main

main()
