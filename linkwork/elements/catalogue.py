"""Imports every element file, so that the registry knows all items."""

import importlib
import pkgutil

import linkwork.elements

for _module in pkgutil.iter_modules(linkwork.elements.__path__):
    if _module.name != "catalogue":
        importlib.import_module(f"linkwork.elements.{_module.name}")
