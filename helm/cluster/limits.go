package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// limits are steps that one file of values is enough for, after the release was uninstalled.
func (t *trial) limits() []step {
	return []step{
		{"again", t.again},
		{"next version", t.nextVersion},
		{"larger claim", t.largerClaim},
		{"uninstall", t.uninstallAgain},
		{"misspelt env", t.misspelt},
		{"host's folder", t.hostFolder},
	}
}

// again installs the service over the claim that was kept.
func (t *trial) again() (string, error) {
	claims := t.core.CoreV1().PersistentVolumeClaims(t.namespace)
	name := "data-" + t.set.Name + "-0"
	kept, err := claims.Get(t.ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if _, err := t.install(); err != nil {
		return "", err
	}
	now, err := claims.Get(t.ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if now.UID != kept.UID {
		return "", errors.New("the claim was replaced")
	}
	return "installed over the claim that was kept", nil
}

// nextVersion upgrades to a chart with another version and nothing else changed.
func (t *trial) nextVersion() (string, error) {
	next := t.path("next")
	if err := os.CopyFS(next, os.DirFS(t.chart)); err != nil {
		return "", err
	}
	file := filepath.Join(next, "Chart.yaml")
	chart, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	chart = regexp.MustCompile(`(?m)^version: .*$`).ReplaceAll(chart, []byte("version: 99.0.0"))
	if err := os.WriteFile(file, chart, 0o600); err != nil {
		return "", err
	}
	uid, err := t.uid()
	if err != nil {
		return "", err
	}
	if _, err := t.command("upgrade", releaseName, next, "--values", t.file); err != nil {
		return "", err
	}
	set, err := t.core.AppsV1().StatefulSets(t.namespace).Get(t.ctx, t.set.Name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if label := set.Labels["helm.sh/chart"]; label != "tallystick-99.0.0" || set.Generation != 1 {
		return "", fmt.Errorf("the StatefulSet of chart %s has generation %d", label, set.Generation)
	}
	return "an upgrade to another version of the chart keeps the pod", t.stays(uid)
}

// largerClaim shows that Kubernetes refuses it, and that the next upgrade is possible all the same.
func (t *trial) largerClaim() (string, error) {
	_, err := t.command("upgrade", releaseName, t.chart, "--values", t.file, "--set", "persistence.size=20Gi")
	if err == nil || !strings.Contains(err.Error(), "Forbidden") {
		return "", fmt.Errorf("another size of the claim is not refused: %v", err)
	}
	uid, err := t.uid()
	if err != nil {
		return "", err
	}
	if _, err := t.command("upgrade", releaseName, t.chart, "--values", t.file); err != nil {
		return "", err
	}
	return "refused; the next upgrade keeps the pod", t.stays(uid)
}

func (t *trial) uninstallAgain() (string, error) {
	if _, err := t.command("uninstall", releaseName); err != nil {
		return "", err
	}
	return "", t.until("the pod is gone", func() (bool, error) {
		_, err := t.pod()
		return err != nil, unlessAbsent(err)
	})
}

// misspelt gives the container a field that the chart hands on and Kubernetes does not know.
func (t *trial) misspelt() (string, error) {
	_, err := t.command("install", releaseName, t.chart, "--values", t.file,
		"--set", "extraEnv[0].name=TZ,extraEnv[0].valeu=UTC")
	if err == nil || !strings.Contains(err.Error(), "valeu") {
		return "", fmt.Errorf("extraEnv with an unknown field is not refused as such: %v", err)
	}
	return "extraEnv with an unknown field is refused", nil
}

// hostFolder installs, in a namespace of its own, a pod that `restricted` does not admit.
func (t *trial) hostFolder() (string, error) {
	weak := *t
	weak.namespace = "weak"
	if err := weak.makeNamespace(); err != nil {
		return "", err
	}
	_, err := weak.command("install", releaseName, t.chart, "--values", t.file,
		"--set", "extraVolumes[0].name=host,extraVolumes[0].hostPath.path=/")
	if err == nil || !strings.Contains(err.Error(), "would violate PodSecurity") {
		return "", fmt.Errorf("the API server does not warn of a volume of the host: %v", err)
	}
	if _, err := weak.admitted(); err == nil || !strings.Contains(err.Error(), "violates PodSecurity") {
		return "", fmt.Errorf("a pod with a volume of the host is not refused by PodSecurity: %v", err)
	}
	return "a pod with one, by extraVolumes, is refused by PodSecurity", nil
}
