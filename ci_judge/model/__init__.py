"""The nouns of CI Judge: frozen values, standard library only."""
