package sched

import "testing"

// onDuty100 is a worker on duty with a credit of 100, which has just read the clock.
func onDuty100(t *testing.T) *Worker {
	t.Helper()
	s, _ := bench(t, 1)
	w := s.workers[0]
	w.duty.resume()
	w.credit, w.pace.granted, w.untilPoll = 100, 100, 50
	return w
}

// TestCharge: what is charged brings the next reading of the clock nearer and is no work done; and however
// much it was, a turn may go on for a unit.
func TestCharge(t *testing.T) {
	w := onDuty100(t)
	w.Spend(10)
	w.Charge(60)
	if w.Credit() != 30 || w.spent.Load() != 0 {
		t.Errorf("credit %d, %d done", w.Credit(), w.spent.Load())
	}
	w.Charge(1000)
	if w.Credit() != 1 {
		t.Errorf("credit %d when it is gone", w.Credit())
	}
	w.Spend(1)
	if w.spent.Load() != 11 || w.Credit() < 1 {
		t.Errorf("%d units done, credit %d", w.spent.Load(), w.Credit())
	}
	w.pace.granted, w.credit = 100, 100
	w.Spend(100)
	if w.spent.Load() != 111 {
		t.Errorf("%d units done after a quantum without charges", w.spent.Load())
	}
}

// TestAnswer: a worker that was asked to come by reads the clock at its next unit and looks at the inject
// queue before its next turn, and what it had left of its credit is no work done.
func TestAnswer(t *testing.T) {
	w := onDuty100(t)
	w.Spend(10)
	if w.duty.stepAside(); !w.answer() || w.credit != 90 || w.untilPoll != 50 {
		t.Errorf("credit %d, %d turns to the next look, though nobody had asked", w.credit, w.untilPoll)
	}
	if !w.duty.ask() || !w.answer() || !w.duty.isOn() {
		t.Fatal("it did not answer")
	}
	if w.credit != 1 || w.untilPoll > 1 {
		t.Errorf("credit %d, %d turns to the next look", w.credit, w.untilPoll)
	}
	w.Spend(2)
	if w.spent.Load() != 12 || w.credit < 1 {
		t.Errorf("%d units done, credit %d", w.spent.Load(), w.credit)
	}
	w.duty.ask()
	w.duty.urge()
	w.duty.relieve()
	if w.untilPoll = 50; w.answer() || w.untilPoll != 50 {
		t.Error("it answered without a seat")
	}
}
