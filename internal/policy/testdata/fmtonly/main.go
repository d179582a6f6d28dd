// Command fmtonly is what hello is weighed against.
package main

import "fmt"

func main() { fmt.Println("Hello, world") }
