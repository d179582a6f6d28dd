package main

type crew interface{ stop() }

func apspPlain(int) uint64                         { return 0 }
func apspMessage(crew, int) uint64                 { return 0 }
func bankingPlain(int) uint64                      { return 0 }
func bankingMessage(crew, int) uint64              { return 0 }
func barberPlain(int) uint64                       { return 0 }
func barberMessage(crew, int) uint64               { return 0 }
func uctPlain(int) uint64                          { return 0 }
func uctMessage(crew, int) uint64                  { return 0 }
func sorPlain(int) uint64                          { return 0 }
func sorMessage(crew, int) uint64                  { return 0 }
func philosophersPlain(int) uint64                 { return 0 }
func philosophersMessage(crew, int) uint64         { return 0 }
func containerPlain(int, container) uint64         { return 0 }
func containerMessage(crew, int, container) uint64 { return 0 }
func bufferPlain(int) uint64                       { return 0 }
func bufferMessage(crew, int) uint64               { return 0 }
func bitonicPlain(int) uint64                      { return 0 }
func bitonicMessage(crew, int) uint64              { return 0 }
func filterPlain(int) uint64                       { return 0 }
func filterMessage(crew, int) uint64               { return 0 }
func dealPlain([]piece) uint64                     { return 0 }
func dealMessage(crew, []piece) uint64             { return 0 }
func quicksortPlain(int) uint64                    { return 0 }
func quicksortMessage(crew, int) uint64            { return 0 }
func newChannels() crew                            { return nil }
func newPhony() crew                               { return nil }
func newProto() crew                               { return nil }
