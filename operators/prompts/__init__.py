"""Prompts: what a model is asked, one file a task.

A prompt file is Markdown whose first-level headings name its parts. ``# system`` and ``# user`` become messages; a
part of any other name is a piece of text that others insert. ``{{name}}`` is a placeholder. What stays the same over
a search stands first, so that a provider can reuse the work that it did for the same beginning.

``template`` reads and renders the files, ``text`` prepares what is inserted, ``describe`` says a problem in words.
"""
