package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// part is one process of the cluster.
type part struct {
	name   string
	binary string
	args   []string
	port   int
	log    string
	cmd    *exec.Cmd
}

// exit tells that a part's process ended.
type exit struct {
	part *part
	pid  int
	err  error
}

// start must be called from the main thread; see init.
func (p *part) start(exits chan<- exit) error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.binary, p.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = diesWithParent()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s did not start: %w", p.name, err)
	}
	p.cmd = cmd
	go func() {
		err := cmd.Wait()
		exits <- exit{p, cmd.Process.Pid, err}
	}()
	return nil
}

func (p *part) pid() int {
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// kill ends the part at once: the data is thrown away anyway, and an outage is not polite either.
func (p *part) kill() {
	if p.cmd != nil {
		p.cmd.Process.Kill()
		p.cmd = nil
	}
}

// lastLines are what a person needs first when a part failed.
func (p *part) lastLines(count int) string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) > count {
		lines = lines[len(lines)-count:]
	}
	return strings.Join(lines, "\n")
}
