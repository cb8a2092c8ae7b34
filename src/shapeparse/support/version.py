"""The one place that knows the version; packaging reads it from here."""

__version__ = "0.2.0"
