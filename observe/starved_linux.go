package observe

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// waitedForProcessor returns how long each of the present threads of this process was ready to run
// without a processor, by the number of the thread. It returns nil if the kernel does not say. A
// call costs about 10 µs a thread.
func waitedForProcessor() (threads map[string]time.Duration) {
	const tasks = "/proc/self/task"
	all, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	threads = map[string]time.Duration{}
	for _, task := range all {
		data, err := os.ReadFile(tasks + "/" + task.Name() + "/schedstat")
		if err != nil {
			continue // the thread has ended
		}
		// The fields are the time run, the time waited, and the number of runs.
		if fields := bytes.Fields(data); len(fields) == 3 {
			n, _ := strconv.ParseInt(string(fields[1]), 10, 64) // 0 if it is no number
			threads[task.Name()] = time.Duration(n)
		}
	}
	return threads
}
