"""A gate told where a pipeline's people look: files, annotations, one comment at the request."""
