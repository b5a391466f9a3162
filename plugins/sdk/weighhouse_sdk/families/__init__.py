"""What several systems share that speak one protocol: how they are asked, started and joined.

A plugin never imports another; what two of them need lies here.
"""
