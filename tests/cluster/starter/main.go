// Command cluster runs a real Kubernetes control plane with fake kubelets on loopback ports,
// in a folder of its own, and leaves nothing behind when it ends.
//
//	cluster run   --dir D [--bin B] [--until-stdin-closes]   in the foreground
//	cluster start --dir D [--bin B]                          detached, returns when ready
//	cluster stop  --dir D
//
// While it runs, SIGUSR1 kills the API server (an outage) and SIGUSR2 starts it again on the same port.
// D/cluster.json tells the rest: ports, process ids, kubeconfigs, binaries.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

const usage = "Usage: cluster run|start|stop --dir D [--bin B] [--until-stdin-closes]"

type options struct {
	dir              string
	bin              string
	untilStdinCloses bool
}

// Linux ends a child when the *thread* that started it dies, so every child is started from the main thread,
// which lives as long as the process.
func init() { runtime.LockOSThread() }

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf(usage)
	}
	opts, err := parse(args[1:])
	if err != nil {
		return err
	}
	switch args[0] {
	case "run":
		return run(opts)
	case "start":
		return startDetached(opts)
	case "stop":
		return stop(opts.dir)
	}
	return fmt.Errorf("Unknown command %q\n%s", args[0], usage)
}

func parse(args []string) (options, error) {
	var opts options
	flags := flag.NewFlagSet("cluster", flag.ExitOnError)
	flags.StringVar(&opts.dir, "dir", "", "folder of this cluster's data; made when missing")
	flags.StringVar(&opts.bin, "bin", defaultBin(), "folder of the binaries; KUBEBUILDER_ASSETS comes first for etcd, kube-apiserver and kubectl")
	flags.BoolVar(&opts.untilStdinCloses, "until-stdin-closes", false, "run: stop when standard input closes")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	if opts.dir == "" || flags.NArg() > 0 {
		return opts, fmt.Errorf("The folder of the cluster is missing\n%s", usage)
	}
	var err error
	opts.dir, err = filepath.Abs(opts.dir)
	return opts, err
}

func defaultBin() string {
	cache := os.Getenv("WATCHGLASS_CACHE")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache", "watchglass")
	}
	return filepath.Join(cache, "cluster")
}
