"""The law of code with ideal continuous noise: ``sample(self, x, noise: dpaudit.Noise)``, in exact real arithmetic.

A draw is a symbol with a density (symbols), a comparison forks the run (explore), a path is a list of difference
constraints (constraints), its probability an integral that stays in a closed class of functions (pieces, paths) or
is enclosed by certified quadrature (gaussian). Real outputs have densities (densities, supremum, real).
"""
