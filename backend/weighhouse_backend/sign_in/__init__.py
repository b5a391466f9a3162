"""Ways in: passwords, second factors, passkeys, providers, pipelines."""
