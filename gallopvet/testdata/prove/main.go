// Command prove runs one bad case, which must fail. Without arguments it lists the cases.
package main

import (
	"fmt"
	"os"

	_ "cases/gv1/bad"
	_ "cases/gv2/bad"
	_ "cases/gv3/bad"
	_ "cases/gv4/bad"
	_ "cases/gv5/bad"
	_ "cases/gv6/bad"
	_ "cases/gv7/bad"
	_ "cases/gv8/bad"
	"cases/step"
)

func main() {
	if len(os.Args) == 1 {
		for name, c := range step.Cases {
			fmt.Printf("%s\t%s\n", name, c.Want)
		}
		return
	}
	step.Cases[os.Args[1]].Run()
}
