"""All items: importing this module imports every element file, and so fills the registry."""

import importlib
import pkgutil

import linkwork.elements
from linkwork.model.registry import ITEMS

__all__ = ["ITEMS"]

for _module in pkgutil.walk_packages(linkwork.elements.__path__, "linkwork.elements."):
    if _module.name != __name__:
        importlib.import_module(_module.name)
