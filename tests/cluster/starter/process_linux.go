package main

import "syscall"

// The kernel kills the child when the supervisor dies, even by SIGKILL.
// Its own process group keeps Ctrl-C in a terminal away from it: the supervisor ends it.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
