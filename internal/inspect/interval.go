package inspect

import "math"

// normalQuantile is the 99.5 % quantile of the normal distribution: an interval of 99 % leaves 0.5
// % on either side.
const normalQuantile = 2.5758293035489004

// poissonInterval returns an interval that contains the mean of a Poisson variable with a
// probability of 99 %, after n was seen. A sample that takes each of many actors with the same
// small chance is such a variable. The interval is the exact one by Garwood, with the quantiles of
// χ² by Wilson and Hilferty. From n = 4 on the approximation is wrong by less than 1 %; below, it
// is too wide.
func poissonInterval(n int) (low, high float64) {
	if n > 0 {
		low = max(0, halfChi2(2*float64(n), -normalQuantile))
	}
	return low, halfChi2(2*float64(n)+2, normalQuantile)
}

// halfChi2 returns half of the quantile of χ² with k degrees of freedom. z is the same quantile of
// the normal distribution.
func halfChi2(k, z float64) float64 {
	v := 2 / (9 * k)
	return k / 2 * math.Pow(1-v+z*math.Sqrt(v), 3)
}
