package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Everything a cluster writes into its folder. Only these are ever removed, so that a wrong --dir costs nothing.
var contents = []string{
	"admin.kubeconfig", "restricted.kubeconfig", "cluster.json", "cluster.json.new", "cluster.log",
	"etcd", "logs", "pki", "kwok.yaml", "pod.log", "tokens.csv", "lock",
}

// clusterFile is D/cluster.json, what tests read.
type clusterFile struct {
	Ready            bool                `json:"ready"`
	Pid              int                 `json:"pid"`
	Dir              string              `json:"dir"`
	Server           string              `json:"server"`
	CAFile           string              `json:"ca_file"`
	Kubectl          string              `json:"kubectl"`
	Admin            user                `json:"admin"`
	Restricted       user                `json:"restricted"`
	AllowedNS        string              `json:"allowed_namespace"`
	Parts            map[string]partInfo `json:"parts"`
	StartedUnixMs    int64               `json:"started_unix_ms"`
	ReadyAfterMs     int64               `json:"ready_after_ms"`
	KillAPIServer    string              `json:"kill_api_server"`
	RestartAPIServer string              `json:"restart_api_server"`
}

type user struct {
	Name       string `json:"name"`
	Token      string `json:"token"`
	Kubeconfig string `json:"kubeconfig"`
}

// partInfo tells of one process; Pid is 0 while the part is down.
type partInfo struct {
	Pid    int    `json:"pid"`
	Port   int    `json:"port"`
	Binary string `json:"binary"`
	Log    string `json:"log"`
}

func readClusterFile(dir string) (clusterFile, error) {
	var file clusterFile
	text, err := os.ReadFile(filepath.Join(dir, "cluster.json"))
	if err != nil {
		return file, err
	}
	return file, json.Unmarshal(text, &file)
}

// write replaces the file in one step: a reader sees the old text or the new.
func (file clusterFile) write() error {
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(file.Dir, "cluster.json")
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

var errLocked = errors.New("a cluster runs in this folder already")

// lock marks the folder as in use. The kernel drops it with the process, however that ends,
// so a stale process id never counts as a running cluster.
func lock(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, errLocked
	}
	return file, nil
}

// running answers the cluster file of a supervisor that is alive.
func running(dir string) (clusterFile, bool) {
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		return clusterFile{}, false
	}
	file, err := lock(dir)
	if err == nil {
		file.Close()
		return clusterFile{}, false
	}
	cluster, err := readClusterFile(dir)
	return cluster, err == nil
}

// clear removes what a cluster wrote, and the folder itself when nothing else is in it.
func clear(dir string, keep ...string) {
	for _, name := range contents {
		if !contains(keep, name) {
			os.RemoveAll(filepath.Join(dir, name))
		}
	}
	if len(keep) == 0 {
		os.Remove(dir)
	}
}

func contains(list []string, wanted string) bool {
	for _, entry := range list {
		if entry == wanted {
			return true
		}
	}
	return false
}

func makeFolders(dir string) error {
	for _, name := range []string{"etcd", "logs", "pki"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return fmt.Errorf("The cluster's folder cannot be made: %w", err)
		}
	}
	return nil
}
