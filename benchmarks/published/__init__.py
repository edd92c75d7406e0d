"""What the papers published: their tables as data, so that a report can print ours beside theirs."""

from benchmarks.published.figures import Paper, PublishedFigure, papers, published

__all__ = ["Paper", "PublishedFigure", "papers", "published"]
