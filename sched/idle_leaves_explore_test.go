//go:build gallop_explore

package sched

import "testing"

// inLeaves makes newHouse put the bits of its workers into leaves, as if there were more than
// oneWordWorkers. Set by TestLeaves alone, which is not parallel.
var inLeaves bool

// TestLeaves explores the scenarios of sleeping, stopping, quiescence, hand-over and the governor
// with leaves below the idle word.
//
// Mutants tried by hand: see docs/decisions/0047-many-workers.md.
func TestLeaves(t *testing.T) {
	inLeaves = true
	defer func() { inLeaves = false }()
	for name, scenario := range map[string]func(*testing.T){
		"SleepNoInjectionOverlooked": TestSleepNoInjectionOverlooked,
		"SleepNoLocalWorkOverlooked": TestSleepNoLocalWorkOverlooked,
		"NoWorkBesideASleeper":       TestBug_K8_NoWorkBesideASleeper,
		"TokenReachesTheChosen":      TestBug_K3_TokenReachesTheChosen,
		"LastSearcherLooksAgain":     TestBug_K9_LastSearcherLooksAgain,
		"HandedSomethingElse":        TestBug_K9_HandedSomethingElse,
		"StopEndsEverythingOnce":     TestStopEndsEverythingOnce,
		"StopWhileFallingAsleep":     TestBug_K6_StopWhileFallingAsleep,
		"QuietNotBeforeTheOtherTask": TestQuietNotBeforeTheOtherTask,
		"QuietEndsSending":           TestQuietEndsSending,
		"QuietWaitsForHolds":         TestQuietWaitsForHolds,
		"StopWhileTheEndIsNear":      TestBug_K7_StopWhileTheEndIsNear,
		"Handover":                   TestHandover_SlotsNeverVacantBesideWork,
		"HandoverQuickReturn":        TestHandover_QuickReturn,
		"HandoverStop":               TestHandover_StopExplored,
		"TokenReachesTheHolder":      TestBug_K3_TokenReachesTheHolder,
		"GovernorOverlooksNothing":   TestGovernorOverlooksNothing,
		"GovernorKeepsOneAwake":      TestGovernorKeepsOneAwake,
		"GovernorLiftWakes":          TestGovernorLiftWakes,
		"GovernorAndStop":            TestGovernorAndStop,
	} {
		t.Run(name, scenario)
	}
}
