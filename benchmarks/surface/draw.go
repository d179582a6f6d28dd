package main

import (
	"bytes"
	"fmt"
)

// draw returns the surface as an SVG: a heat map for each shape, with the speed-up in each field.
func draw(all []cell) []byte {
	const w, h, left, head, across = 46, 20, 62, 40, 4
	var b bytes.Buffer
	perShape := len(works) * len(flights)
	n := (len(all) + perShape - 1) / perShape
	wide, high := left+w*len(flights)+20, head+h*len(works)+20
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`,
		wide*min(n, across), high*((n+across-1)/across))
	b.WriteString("\n<title>Speed-up of the second worker, by the work of a message and the items in flight</title>\n")
	for i, c := range all {
		s, row, col := i/perShape, i%perShape/len(flights), i%len(flights)
		x0, y0 := wide*(s%across), high*(s/across)
		x, y := x0+left+w*col, y0+head+h*row
		if row == 0 && col == 0 {
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", x0+4, y0+16, c.shape.name)
		}
		if row == 0 {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%d</text>`+"\n", x+w/2, y-5, c.flight)
		}
		if col == 0 {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%v</text>`+"\n", x-5, y+14, c.work)
		}
		fill, text := "#eeeeee", "–"
		if c.two != 0 {
			fill, text = colour(c.speedUp()), fmt.Sprintf("%.2f", c.speedUp())
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/><text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n",
			x, y, w-1, h-1, fill, x+w/2, y+14, text)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// colour goes from red at 0.5 by white at 1 to green at 2.
func colour(speedUp float64) string {
	if speedUp < 1 {
		fade := int(255 * min(1, max(0, 2*speedUp-1)))
		return fmt.Sprintf("#ff%02x%02x", fade, fade)
	}
	fade := int(255 - 155*min(1, speedUp-1))
	return fmt.Sprintf("#%02xff%02x", fade, fade)
}
