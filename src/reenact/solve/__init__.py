"""Solvers shared by the methods: analytic limbs, and terms with their optimisers."""
