package main

import (
	"math"
	"math/big"
	"sync/atomic"
)

// trapezoid approximates an integral: a hundred pieces of equal length.
var trapezoid = dealProgram("trapezoid", "trapezoid rule", 5_000_000, func(n int) (all []piece) {
	for i := range 100 {
		all = append(all, strip{i, n / 100})
	}
	return all
})

type strip struct{ index, steps int }

func (s strip) work() (uint64, []piece) {
	width := 5.0 / 100 / float64(s.steps)
	sum, at := 0.0, float64(s.index)*5.0/100
	for range s.steps {
		sum += (curve(at) + curve(at+width)) / 2 * width
		at += width
	}
	return uint64(sum * 1e9), nil
}

func curve(x float64) float64 { return 1 / (x + 1) * math.Sqrt(1+x*x) }

// nqueens counts the solutions for a board of n: pieces above a depth make new pieces.
var nqueens = dealProgram("nqueens", "n-queens", 13, func(n int) []piece {
	return []piece{board{n: n}}
})

const queensThreshold = 4

type board struct {
	n, row               int
	columns, left, right uint32
}

func (b board) work() (uint64, []piece) {
	if b.row >= queensThreshold {
		return b.count(), nil
	}
	var more []piece
	for _, next := range b.placed(nil) {
		more = append(more, next)
	}
	return 0, more
}

// placed appends the boards with one queen more.
func (b board) placed(to []board) []board {
	for free := ^(b.columns | b.left | b.right) & (1<<b.n - 1); free != 0; free &= free - 1 {
		bit := free & -free
		to = append(to, board{b.n, b.row + 1, b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1})
	}
	return to
}

func (b board) count() (solutions uint64) {
	if b.row == b.n {
		return 1
	}
	for free := ^(b.columns | b.left | b.right) & (1<<b.n - 1); free != 0; free &= free - 1 {
		bit := free & -free
		next := board{b.n, b.row + 1, b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1}
		solutions += next.count()
	}
	return solutions
}

// matrices multiplies two matrices: a piece is split into four until it is small.
var matrices = dealProgram("matrices", "recursive matrix product", 512, func(n int) []piece {
	m := &product{n: n, a: make([]float64, n*n), b: make([]float64, n*n), c: make([]float64, n*n)}
	for i := range m.a {
		m.a[i], m.b[i] = float64(i%7), float64(i%5)
	}
	return []piece{square{m, 0, 0, n}}
})

const squareSize = 32

type product struct {
	n       int
	a, b, c []float64
}

type square struct {
	*product
	row, col, size int
}

func (s square) work() (uint64, []piece) {
	if h := s.size / 2; s.size > squareSize {
		return 0, []piece{square{s.product, s.row, s.col, h}, square{s.product, s.row, s.col + h, h},
			square{s.product, s.row + h, s.col, h}, square{s.product, s.row + h, s.col + h, h}}
	}
	return s.multiply(), nil
}

func (s square) multiply() uint64 {
	sum := 0.0
	for i := s.row; i < s.row+s.size; i++ {
		out := s.c[i*s.n+s.col:][:s.size]
		for k, a := range s.a[i*s.n:][:s.n] {
			in := s.b[k*s.n+s.col:][:s.size]
			for j := range out {
				out[j] += a * in[j]
			}
		}
		for _, v := range out {
			sum += v
		}
	}
	return uint64(sum)
}

// pi sums the terms of Bailey, Borwein and Plouffe in so many bits.
var pi = dealProgram("pi", "digits of pi", 24_000, func(n int) (all []piece) {
	for k := range n / 4 {
		all = append(all, term{k, n})
	}
	return all
})

type term struct{ k, bits int }

func (t term) work() (uint64, []piece) {
	one := new(big.Int).Lsh(big.NewInt(1), uint(t.bits-4*t.k))
	sum := new(big.Int)
	for _, part := range [...][2]int64{{4, 1}, {-2, 4}, {-1, 5}, {-1, 6}} {
		v := new(big.Int).Mul(one, big.NewInt(part[0]))
		sum.Add(sum, v.Quo(v, big.NewInt(int64(8*t.k)+part[1])))
	}
	return sum.Uint64() >> 8, nil
}

// astar explores a cube of n³ nodes: a piece follows the cheapest nodes from one, and hands others
// on when it has seen so many.
var astar = dealProgram("astar", "guided search", 70, func(n int) []piece {
	s := &space{n: n, visited: make([]atomic.Bool, n*n*n)}
	s.visited[0].Store(true)
	return []piece{region{s, []int32{0}}}
})

const regionNodes = 1024

type space struct {
	n       int
	visited []atomic.Bool
}

type region struct {
	*space
	open []int32
}

// work explores until it has seen enough or there is nothing left. The result is how many nodes
// were claimed; the open nodes that are left go into two new pieces.
func (r region) work() (uint64, []piece) {
	heap, seen := r.open, uint64(0)
	for len(heap) > 0 && seen < regionNodes {
		var at int32
		at, heap = r.pop(heap)
		seen++
		heap = r.expand(heap, at)
	}
	if len(heap) == 0 {
		return seen, nil
	}
	if len(heap) < 2 {
		return seen, []piece{region{r.space, heap}}
	}
	half := len(heap) / 2
	return seen, []piece{region{r.space, heap[:half:half]}, region{r.space, heap[half:]}}
}

// cost guides the search: the distance to the far corner.
func (s *space) cost(at int32) int {
	n := int32(s.n)
	x, y, z := int(n-at%n), int(n-at/n%n), int(n-at/n/n)
	return x*x + y*y + z*z
}

// pop takes the cheapest of the nodes.
func (s *space) pop(open []int32) (int32, []int32) {
	best := len(open) - 1
	for i := max(0, len(open)-16); i < len(open); i++ {
		if s.cost(open[i]) < s.cost(open[best]) {
			best = i
		}
	}
	at := open[best]
	open[best] = open[len(open)-1]
	return at, open[:len(open)-1]
}

func (s *space) expand(open []int32, at int32) []int32 {
	n := int32(s.n)
	x, y, z := at%n, at/n%n, at/n/n
	for _, d := range [...]struct {
		ok bool
		to int32
	}{{x > 0, at - 1}, {x < n-1, at + 1}, {y > 0, at - n}, {y < n-1, at + n}, {z > 0, at - n*n},
		{z < n-1, at + n*n}} {
		if d.ok && s.visited[d.to].CompareAndSwap(false, true) {
			open = append(open, d.to)
		}
	}
	return open
}
