package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const otherDelay = "25"

// weaker are the ways out of `restricted`, each for a pod that keeps to it.
var weaker = map[string]func(pod *corev1.PodSpec, container *corev1.SecurityContext){
	"privileged": func(_ *corev1.PodSpec, container *corev1.SecurityContext) {
		container.Privileged, container.AllowPrivilegeEscalation = ptr.To(true), nil
	},
	"escalation": func(_ *corev1.PodSpec, container *corev1.SecurityContext) {
		container.AllowPrivilegeEscalation = ptr.To(true)
	},
	"capability": func(_ *corev1.PodSpec, container *corev1.SecurityContext) {
		container.Capabilities.Add = []corev1.Capability{"NET_ADMIN"}
	},
	"all capabilities": func(_ *corev1.PodSpec, container *corev1.SecurityContext) { container.Capabilities = nil },
	"maybe root":       func(pod *corev1.PodSpec, _ *corev1.SecurityContext) { pod.SecurityContext.RunAsNonRoot = nil },
	"root": func(pod *corev1.PodSpec, _ *corev1.SecurityContext) {
		pod.SecurityContext.RunAsNonRoot, pod.SecurityContext.RunAsUser = ptr.To(false), ptr.To[int64](0)
	},
	"no seccomp":          func(pod *corev1.PodSpec, _ *corev1.SecurityContext) { pod.SecurityContext.SeccompProfile = nil },
	"network of the host": func(pod *corev1.PodSpec, _ *corev1.SecurityContext) { pod.HostNetwork = true },
	"folder of the host": func(pod *corev1.PodSpec, _ *corev1.SecurityContext) {
		host := corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "host", VolumeSource: host})
	},
}

// weaken shows that it is PodSecurity that admits the pod.
func (t *trial) weaken() (string, error) {
	pod, err := t.pod()
	if err != nil {
		return "", err
	}
	ask := func(spec corev1.PodSpec) error {
		twin := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "twin"}, Spec: spec}
		_, err := t.core.CoreV1().Pods(t.namespace).Create(t.ctx, twin, metav1.CreateOptions{
			DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict,
		})
		return err
	}
	if err := ask(pod.Spec); err != nil {
		return "", fmt.Errorf("a twin of the pod is refused: %w", err)
	}
	for name, change := range weaker {
		spec := pod.Spec.DeepCopy()
		change(spec, spec.Containers[0].SecurityContext)
		if err := ask(*spec); err == nil || !strings.Contains(err.Error(), `violates PodSecurity "restricted:latest"`) {
			return "", fmt.Errorf("a pod with %s is not refused by PodSecurity: %v", name, err)
		}
	}
	return fmt.Sprintf("%d refused by PodSecurity", len(weaker)), nil
}

// test runs `helm test` twice, and writes once that its pod failed, once that it succeeded.
func (t *trial) test() (string, error) {
	if len(t.hooks) == 0 {
		return "", nil
	}
	name := t.hooks[0].GetName()
	if err := t.tested(name, corev1.PodFailed); err == nil || !strings.Contains(err.Error(), name) {
		return "", fmt.Errorf("the pod failed, and helm test says: %v", err)
	}
	if err := t.tested(name, corev1.PodSucceeded); err != nil {
		return "", err
	}
	return "pod " + name + " admitted; failed when it failed, passed when it succeeded, and is gone",
		t.until("pod "+name+" is gone", func() (bool, error) {
			_, err := t.core.CoreV1().Pods(t.namespace).Get(t.ctx, name, metav1.GetOptions{})
			return err != nil, unlessAbsent(err)
		})
}

// tested is what `helm test` says about a pod that ends like that.
func (t *trial) tested(name string, end corev1.PodPhase) error {
	said := make(chan error, 1)
	go func() {
		_, err := t.command("test", releaseName, "--timeout", waitMax.String())
		said <- err
	}()
	pods := t.core.CoreV1().Pods(t.namespace)
	err := t.until("pod "+name, func() (bool, error) {
		select {
		case err := <-said:
			return false, fmt.Errorf("helm test ended without its pod: %w", err)
		default:
		}
		pod, err := pods.Get(t.ctx, name, metav1.GetOptions{})
		if err != nil || pod.Status.Phase != corev1.PodPending {
			return false, unlessAbsent(err) // there is none yet, or that of the run before
		}
		pod.Status.Phase = end
		_, err = pods.UpdateStatus(t.ctx, pod, metav1.UpdateOptions{})
		return err == nil, err
	})
	if err != nil {
		return err
	}
	return <-said
}

// same upgrades to what there is.
func (t *trial) same() (string, error) {
	uid, err := t.uid()
	if err != nil {
		return "", err
	}
	if _, err := t.command("upgrade", releaseName, t.chart, "--values", t.file); err != nil {
		return "", err
	}
	now, err := t.read(t.first)
	if err != nil {
		return "", err
	}
	if differ := changed(t.first, now, true); len(differ) > 0 {
		return "", fmt.Errorf("an upgrade with the same values changes %s", strings.Join(differ, ", "))
	}
	return "an upgrade changes nothing", t.stays(uid)
}

// stays fails if the pod is another one, once the controller has seen the StatefulSet.
func (t *trial) stays(uid types.UID) error {
	pod, err := t.admitted()
	if err != nil {
		return err
	}
	if pod.UID != uid {
		return errors.New("the pod was replaced")
	}
	return nil
}

// change upgrades to other values, of which one is the pod's and one the Service's.
func (t *trial) change() (string, error) {
	uid, err := t.uid()
	if err != nil {
		return "", err
	}
	if _, err := t.command("upgrade", releaseName, t.chart, "--values", t.file,
		"--set", "config.shutdownDelay="+otherDelay, "--set", "service.annotations.changed=yes"); err != nil {
		return "", err
	}
	now, err := t.read(t.first)
	if err != nil {
		return "", err
	}
	want := []string{"Service " + t.set.Name, "StatefulSet " + t.set.Name}
	differ := changed(t.first, now, true)
	if slices.Sort(differ); !slices.Equal(differ, want) {
		return "", fmt.Errorf("changed %q, want %q", differ, want)
	}
	pod, err := t.admitted()
	if err != nil {
		return "", err
	}
	if pod.UID == uid || !slices.Contains(pod.Spec.Containers[0].Args, "--shutdown-delay="+otherDelay) {
		return "", errors.New("the pod was not replaced by one with the changed value")
	}
	return "an upgrade changes the StatefulSet and the Service; the pod is replaced", nil
}

func (t *trial) rollback() (string, error) {
	if _, err := t.command("rollback", releaseName, "1"); err != nil {
		return "", err
	}
	now, err := t.read(t.first)
	if err != nil {
		return "", err
	}
	if differ := changed(t.first, now, false); len(differ) > 0 {
		return "", fmt.Errorf("a rollback leaves changed: %s", strings.Join(differ, ", "))
	}
	pod, err := t.admitted()
	if err != nil {
		return "", err
	}
	if slices.Contains(pod.Spec.Containers[0].Args, "--shutdown-delay="+otherDelay) {
		return "", errors.New("the pod still has the changed value")
	}
	return "everything is as it was installed; the pod is replaced", nil
}

// uninstall leaves what was there before, and the claim that the StatefulSet made.
func (t *trial) uninstall() (string, error) {
	if _, err := t.command("uninstall", releaseName); err != nil {
		return "", err
	}
	var want []string
	for _, claim := range t.set.Spec.VolumeClaimTemplates {
		want = append(want, fmt.Sprintf("persistentvolumeclaims %s/%s-%s-0", t.namespace, claim.Name, t.set.Name))
	}
	var left, gone []string
	if err := t.until("nothing else is left", func() (bool, error) {
		after, err := t.everything()
		if err != nil {
			return false, err
		}
		left, gone = besides(t.before, after), besides(after, t.before)
		return slices.Equal(left, want) && len(gone) == 0, nil
	}); err != nil {
		return "", fmt.Errorf("%w: left %q, want %q; also gone: %q", err, left, want, gone)
	}
	if len(want) == 0 {
		return "nothing is left; what was given stays", nil
	}
	return "nothing is left but the claim; what was given stays", nil
}
