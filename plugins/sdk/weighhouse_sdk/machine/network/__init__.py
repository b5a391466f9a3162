"""How the network of a node is made worse, and well again: the verbs `network` and `heal`."""
