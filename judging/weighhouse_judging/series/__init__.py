"""How a cell changes over campaigns: where its level shifted."""
