"""Published sources held against themselves: their figures, claims, commands and raw data. Pure.

`check` is the whole of it. Each rule reads the one document of published results and knows no
source, system or figure by its name.
"""
