"""Writes linkwork/__init__.pyi: where type checkers and editors find the package's names.

    python -m docs.site.public_names

`import linkwork` imports nothing before it is used, which no type checker can follow; the stub says
the same as the table of linkwork/__init__.py in plain imports.
tests/model/test_user_types.py compares.
"""

from pathlib import Path

import linkwork


def stub() -> str:
    """The text of the stub."""
    lines = ["# Made by docs/site/public_names.py from the table of __init__.py.", ""]
    for folder, module in sorted(linkwork._FOLDERS.items()):
        parent, _, last = module.rpartition(".")
        source = f"linkwork.{parent}" if parent else "linkwork"
        assert last == folder, (last, folder)
        lines.append(f"from {source} import {last} as {folder}")
    for module, names in sorted(linkwork._HOME.items()):
        lines += [f"from linkwork.{module} import {name} as {name}" for name in sorted(names)]
    return "\n".join([*lines, "", "__version__: str", "__all__: list[str]", ""])


if __name__ == "__main__":
    path = Path(linkwork.__file__).parent / "__init__.pyi"
    path.write_text(stub(), encoding="utf-8")
