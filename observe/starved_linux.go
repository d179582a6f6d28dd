package observe

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// waitedForProcessor returns how long the threads that this process has were ready to run and had
// no processor, in all; 0 if the kernel does not say. It may fall where a thread ends. About 10 µs
// for each thread.
func waitedForProcessor() (sum time.Duration) {
	const tasks = "/proc/self/task"
	all, err := os.ReadDir(tasks)
	if err != nil {
		return 0
	}
	for _, task := range all {
		data, err := os.ReadFile(tasks + "/" + task.Name() + "/schedstat")
		if err != nil {
			continue // it has ended
		}
		// How long it has run, how long it has waited, how often it has run.
		if fields := bytes.Fields(data); len(fields) == 3 {
			n, _ := strconv.ParseInt(string(fields[1]), 10, 64) // 0 if it is no number
			sum += time.Duration(n)
		}
	}
	return sum
}
