"""What is shown to people without an account: links, public pages, embeds, badges."""
