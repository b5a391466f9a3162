"""Systems, as the manifests that agents bring describe them."""
