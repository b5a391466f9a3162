"""What others measured: one document of sources, sides, cells and figures without an agent.

`results` is the document; `source`, `cells` and `figures` are its parts. Importers make it out of
files, people type it, bundles hold it; whoever keeps, shows or judges it reads this and nothing
else. What is not known is left out or said to be unknown, and never guessed.
"""
