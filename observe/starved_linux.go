package observe

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// waitedForProcessor returns how long the present threads of this process were ready to run without
// a processor, in all. It returns 0 if the kernel does not say. The sum falls when a thread ends. A
// call costs about 10 µs a thread.
func waitedForProcessor() (sum time.Duration) {
	const tasks = "/proc/self/task"
	all, err := os.ReadDir(tasks)
	if err != nil {
		return 0
	}
	for _, task := range all {
		data, err := os.ReadFile(tasks + "/" + task.Name() + "/schedstat")
		if err != nil {
			continue // the thread has ended
		}
		// The fields are the time run, the time waited, and the number of runs.
		if fields := bytes.Fields(data); len(fields) == 3 {
			n, _ := strconv.ParseInt(string(fields[1]), 10, 64) // 0 if it is no number
			sum += time.Duration(n)
		}
	}
	return sum
}
