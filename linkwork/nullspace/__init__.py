"""Energy-momentum stepping in directors, constrained and reduced by the discrete null space.

P. Betsch, S. Leyendecker: The discrete null space method for the energy consistent integration of
constrained mechanical systems, part II: multibody dynamics.  Int. J. Numer. Meth. Engng 67 (2006),
called [B] below; part I: Comput. Methods Appl. Mech. Engrg. 194 (2005).

A body is its centre of mass φ and its directors D = [d₁ d₂ d₃], q = (φ, D); M is constant:

    T = ½ m φ̇² + ½ tr(Ḋ E Ḋᵀ),   E = ½ tr(J) I − J              ([B] (17), (158))
    q₁ − q₀ = h v̄,   M (v₁ − v₀) = h f̄ − h G(q̄)ᵀ λ,   Φ(q₁) = 0     ([B] (10))

with q̄ = (q₀ + q₁)/2, v̄ = (v₀ + v₁)/2, rows Φ at most quadratic (`rows`) and forces f̄ whose work
over the step is exactly the change of a potential (`forces`).
"""
