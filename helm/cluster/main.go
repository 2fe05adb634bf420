// Command cluster is etcd, the API server and the controllers of Kubernetes in one program, and the
// trial of the chart on them. helm/check builds and runs it:
//
//	cluster -helm HELM -chart DIR -values DIR CRD...
//
// Each CRD is a file with a definition of somebody else's kind that the chart makes objects of. There
// is no kubelet and no scheduler: the pods are admitted and wait, and the trial writes the status that
// a kubelet would write.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	if len(os.Args) > 1 {
		switch part := os.Args[1:]; part[0] {
		case "etcd":
			etcdmain.Main(part)
			return
		case "kube-apiserver":
			os.Args = part
			os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
		case "kube-controller-manager":
			os.Args = part
			os.Exit(cli.Run(controllers.NewControllerManagerCommand()))
		}
	}
	// The servers end with the thread that started them.
	runtime.LockOSThread()
	helm := flag.String("helm", "helm", "program")
	chart := flag.String("chart", "", "folder of the chart")
	values := flag.String("values", "", "folder of the files of values")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	failed, err := try(ctx, *helm, *chart, *values, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "helm/check:", err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
}

// try says how many trials failed, or why there was none.
func try(ctx context.Context, helm, chart, values string, crds []string) (int, error) {
	began := time.Now()
	files, err := filepath.Glob(filepath.Join(values, "*.yaml"))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("no files of values in %s", values)
	}
	dir, err := os.MkdirTemp("", "tallystick-cluster-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	c := &cluster{ctx: ctx, dir: dir}
	defer c.stop()
	if err := c.start(); err != nil {
		return 0, err
	}
	if err := c.define(crds); err != nil {
		return 0, err
	}
	say("cluster", "start", fmt.Sprintf("Kubernetes %s, its controllers and %d kinds of other projects, %.0f s",
		version.Get().GitVersion, len(crds), time.Since(began).Seconds()))
	failed := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t := &trial{cluster: c, name: name, namespace: "ledgers-" + name, helm: helm, chart: chart, file: file}
		if !t.run() {
			failed++
		}
		if ctx.Err() != nil {
			return failed, fmt.Errorf("told to end")
		}
	}
	fmt.Printf("helm/check: %d releases tried on Kubernetes, %d failed, %.0f s\n",
		len(files), failed, time.Since(began).Seconds())
	return failed, nil
}

func say(trial, step, said string) {
	fmt.Printf("  %-13s %-15s %s\n", trial, step, said)
}
