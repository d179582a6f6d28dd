package kernel

const SinkBuffer = 64 // messages that wait before senders are muted
