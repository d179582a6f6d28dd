package explore

// Worker is a worker of a scheduler without goroutines, whose turns the exploration runs: a
// *sched.Worker of sched.Scheduler.Manual.
type Worker interface {
	HasTask() bool
	Step() (ran bool)
}

// RunAll runs the tasks of the workers, one turn after the other, until no worker has a task.
// Outside of threads.
func RunAll[W Worker](crew []W) {
	for busy := true; busy; {
		busy = false
		for _, w := range crew {
			for w.HasTask() {
				w.Step()
				busy = true
			}
		}
	}
}

// Man gives each worker a thread, which runs its turns. Call it while the program is set up.
func Man[W Worker](p *Program, crew []W) {
	for _, w := range crew {
		p.Daemon(func() {
			for {
				p.Await(w.HasTask)
				if !w.Step() {
					p.Spin() // the task is on its way from one queue to another
				}
			}
		})
	}
}
