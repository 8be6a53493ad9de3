"""Interactive locomotion: pose graphs and mobility maps (specification M1 to M23)."""
