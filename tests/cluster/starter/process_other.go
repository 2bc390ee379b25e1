//go:build !linux

package main

import "syscall"

// Only Linux can tie a child's life to its parent's: elsewhere a supervisor killed by SIGKILL leaves its parts.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
