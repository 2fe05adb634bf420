package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

const releaseName = "tallystick"

// trial is the life of one release, with one file of values, in a namespace that enforces `restricted`.
type trial struct {
	*cluster
	name, namespace, helm, chart, file string

	set    *appsv1.StatefulSet
	hooks  []*object
	before map[string]bool
	first  []*object
}

type step struct {
	name string
	do   func() (string, error)
}

// run says whether each step went as it must; the first that did not is the last. What the API server
// warns of, such as a deprecated field, is a failure too.
func (t *trial) run() bool {
	steps := []step{
		{"dry run", t.dryRun},
		{"install", t.install},
		{"weaker pods", t.weaken},
		{"helm test", t.test},
		{"same values", t.same},
		{"other values", t.change},
		{"rollback", t.rollback},
		{"uninstall", t.uninstall},
	}
	if t.name == "minimal" {
		steps = append(steps, t.limits()...)
	}
	for _, s := range steps {
		said, err := s.do()
		if warned := t.warnings.take(); err == nil && len(warned) > 0 {
			err = fmt.Errorf("the API server warns: %s", strings.Join(warned, "; "))
		}
		if t.ctx.Err() != nil {
			return false // try says so
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "helm/check: %s: %s: %v\n", t.name, s.name, err)
			return false
		}
		if said != "" {
			say(t.name, s.name, said)
		}
	}
	return true
}

// dryRun makes the namespace and what the release needs, and asks the API server about each object.
func (t *trial) dryRun() (string, error) {
	if err := t.makeNamespace(); err != nil {
		return "", err
	}
	manifest, err := t.command("template", releaseName, t.chart, "--values", t.file)
	if err != nil {
		return "", err
	}
	all, err := decode([]byte(manifest))
	if err != nil {
		return "", err
	}
	isHook := func(o *object) bool { return o.GetAnnotations()["helm.sh/hook"] != "" }
	t.hooks = slices.DeleteFunc(slices.Clone(all), func(o *object) bool { return !isHook(o) })
	if t.set, err = statefulSet(all); err != nil {
		return "", err
	}
	if err := t.giveAll(all); err != nil {
		return "", err
	}
	for _, o := range all {
		if err := t.takes(o); err != nil {
			return "", fmt.Errorf("%s: %w", title(o), err)
		}
		if err := t.refusesUnknown(o); err != nil {
			return "", err
		}
	}
	if t.before, err = t.everything(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d objects taken; each refused with a field that is unknown", len(all)), nil
}

func (t *trial) makeNamespace() error {
	labels := map[string]string{}
	for _, mode := range []string{"enforce", "warn"} {
		labels["pod-security.kubernetes.io/"+mode] = "restricted"
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.namespace, Labels: labels}}
	if _, err := t.core.CoreV1().Namespaces().Create(t.ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	return t.until("the service account of "+t.namespace, func() (bool, error) {
		_, err := t.core.CoreV1().ServiceAccounts(t.namespace).Get(t.ctx, "default", metav1.GetOptions{})
		return err == nil, unlessAbsent(err)
	})
}

// unlessAbsent is an error but "not found".
func unlessAbsent(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (t *trial) giveAll(made []*object) error {
	if err := t.give(t.namespace, t.set.Spec.Template.Spec, made); err != nil {
		return err
	}
	for _, hook := range t.hooks {
		pod := &corev1.Pod{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(hook.Object, pod); err != nil {
			return err
		}
		if err := t.give(t.namespace, pod.Spec, made); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) refusesUnknown(o *object) error {
	twin := o.DeepCopy()
	at := []string{"tallystick"}
	if _, found := twin.Object["spec"]; found {
		at = []string{"spec", "tallystick"}
	}
	if err := unstructured.SetNestedField(twin.Object, "yes", at...); err != nil {
		return err
	}
	err := t.takes(twin)
	if err == nil || !strings.Contains(err.Error(), "unknown field") {
		return fmt.Errorf("%s with an unknown field is not refused as such: %v", title(o), err)
	}
	return nil
}

func (t *trial) install() (string, error) {
	if _, err := t.command("install", releaseName, t.chart, "--values", t.file); err != nil {
		return "", err
	}
	manifest, err := t.command("get", "manifest", releaseName)
	if err != nil {
		return "", err
	}
	objects, err := decode([]byte(manifest))
	if err != nil {
		return "", err
	}
	if t.first, err = t.read(objects); err != nil {
		return "", err
	}
	pod, err := t.admitted()
	if err != nil {
		return "", err
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.Projected != nil {
			return "", fmt.Errorf("pod %s has a token of a service account", pod.Name)
		}
	}
	claim := pod.Spec.Volumes[slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.Name == "data"
	})].PersistentVolumeClaim.ClaimName
	if _, err := t.core.CoreV1().PersistentVolumeClaims(t.namespace).Get(t.ctx, claim, metav1.GetOptions{}); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d objects; pod %s admitted, with claim %s", len(objects), pod.Name, claim), nil
}

// admitted waits for the pod of the StatefulSet's newest revision, and writes that it is ready as its
// kubelet would: only then the controller goes on. A pod that is refused ends it with the reason.
func (t *trial) admitted() (*corev1.Pod, error) {
	var pod *corev1.Pod
	if err := t.until("a pod of "+t.set.Name, func() (bool, error) {
		set, err := t.core.AppsV1().StatefulSets(t.namespace).Get(t.ctx, t.set.Name, metav1.GetOptions{})
		if err != nil || set.Status.ObservedGeneration < set.Generation {
			return false, err
		}
		pod, err = t.pod()
		if apierrors.IsNotFound(err) {
			return false, t.refusal()
		}
		return err == nil && pod.DeletionTimestamp == nil &&
			pod.Labels[appsv1.StatefulSetRevisionLabel] == set.Status.UpdateRevision, err
	}); err != nil {
		return nil, err
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if _, err := t.core.CoreV1().Pods(t.namespace).UpdateStatus(t.ctx, pod, metav1.UpdateOptions{}); err != nil {
		return nil, err
	}
	return pod, t.until(t.set.Name+" is ready", func() (bool, error) {
		set, err := t.core.AppsV1().StatefulSets(t.namespace).Get(t.ctx, t.set.Name, metav1.GetOptions{})
		return err == nil && set.Status.ReadyReplicas == 1 &&
			set.Status.CurrentRevision == set.Status.UpdateRevision, err
	})
}

func (t *trial) pod() (*corev1.Pod, error) {
	return t.core.CoreV1().Pods(t.namespace).Get(t.ctx, t.set.Name+"-0", metav1.GetOptions{})
}

// refusal is why the StatefulSet's controller could not make a pod, if it could not.
func (t *trial) refusal() error {
	events, err := t.core.CoreV1().Events(t.namespace).List(t.ctx, metav1.ListOptions{
		FieldSelector: "reason=FailedCreate,involvedObject.name=" + t.set.Name,
	})
	if err != nil {
		return err
	}
	for _, event := range events.Items {
		return errors.New(event.Message)
	}
	return nil
}

// uid is the pod's own: another pod has another.
func (t *trial) uid() (types.UID, error) {
	pod, err := t.pod()
	if err != nil {
		return "", err
	}
	return pod.UID, nil
}

// command runs Helm in the namespace. What it says beside its answer is a failure.
func (t *trial) command(arguments ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	process := exec.CommandContext(t.ctx, t.helm, append(arguments, "--namespace", t.namespace)...)
	process.Stdout, process.Stderr = &stdout, &stderr
	process.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "HELM_")
	})
	process.Env = append(process.Env, "KUBECONFIG="+t.path("kubeconfig"), "HELM_CACHE_HOME="+t.path("helm"),
		"HELM_CONFIG_HOME="+t.path("helm"), "HELM_DATA_HOME="+t.path("helm"))
	err := process.Run()
	said := strings.Join(strings.Split(strings.TrimSpace(stderr.String()), "\n"), " | ")
	if err != nil {
		return "", fmt.Errorf("helm %s: %w: %s", arguments[0], err, said)
	}
	if said != "" {
		return "", fmt.Errorf("helm %s says: %s", arguments[0], said)
	}
	return stdout.String(), nil
}
