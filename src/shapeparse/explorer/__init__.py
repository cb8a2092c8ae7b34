"""The explorer: a photograph, its parse trees and brush strokes as one page that needs nothing beside it."""

from .page import Exploration, Shown, explorer_page, explorer_service_page, reduced

__all__ = ["Exploration", "Shown", "explorer_page", "explorer_service_page", "reduced"]
