package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

var definitions = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
}

// These come and go by themselves.
var passing = []string{"events", "events.events.k8s.io", "leases.coordination.k8s.io"}

type object = unstructured.Unstructured

// decode reads the documents of a manifest.
func decode(manifest []byte) ([]*object, error) {
	var objects []*object
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		o := &object{}
		if err := decoder.Decode(&o.Object); err != nil {
			if errors.Is(err, io.EOF) {
				return objects, nil
			}
			return nil, err
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}

func title(o *object) string {
	return o.GetKind() + " " + o.GetName()
}

// define takes definitions of kinds, and waits until the API server serves them.
func (c *cluster) define(files []string) error {
	for _, file := range files {
		manifest, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		objects, err := decode(manifest)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, o := range objects {
			if _, err := c.objects.Resource(definitions).Create(c.ctx, o, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if err := c.until(title(o)+" is served", func() (bool, error) {
				got, err := c.objects.Resource(definitions).Get(c.ctx, o.GetName(), metav1.GetOptions{})
				return err == nil && established(got), err
			}); err != nil {
				return err
			}
		}
	}
	c.warnings.take()
	return nil
}

func established(definition *object) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(condition any) bool {
		c, ok := condition.(map[string]any)
		return ok && c["type"] == "Established" && c["status"] == "True"
	})
}

// resource is where objects of that kind and namespace are.
func (c *cluster) resource(o *object) (dynamic.ResourceInterface, error) {
	groups, err := restmapper.GetAPIGroupResources(c.core.Discovery())
	if err != nil {
		return nil, err
	}
	kind := o.GroupVersionKind()
	mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return c.objects.Resource(mapping.Resource), nil
	}
	return c.objects.Resource(mapping.Resource).Namespace(o.GetNamespace()), nil
}

// takes asks the API server whether it would create that, and no field of it is unknown.
func (c *cluster) takes(o *object) error {
	resource, err := c.resource(o)
	if err != nil {
		return err
	}
	_, err = resource.Create(c.ctx, o, metav1.CreateOptions{
		DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict,
	})
	return err
}

// read gives the objects as they are now, without what the server writes into them.
func (c *cluster) read(objects []*object) ([]*object, error) {
	var now []*object
	for _, o := range objects {
		resource, err := c.resource(o)
		if err != nil {
			return nil, err
		}
		got, err := resource.Get(c.ctx, o.GetName(), metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		unstructured.RemoveNestedField(got.Object, "status")
		got.SetManagedFields(nil)
		got.SetResourceVersion("")
		now = append(now, got)
	}
	return now, nil
}

// changed are the objects that differ; their generation, which counts the changes, only if it is asked for.
func changed(before, after []*object, generation bool) []string {
	var titles []string
	for at := range before {
		one, other := before[at].DeepCopy(), after[at].DeepCopy()
		if !generation {
			one.SetGeneration(0)
			other.SetGeneration(0)
		}
		if !reflect.DeepEqual(one, other) {
			titles = append(titles, title(one))
		}
	}
	return titles
}

// everything is all that the API server has, of old kinds too, but what passes.
func (c *cluster) everything() (map[string]bool, error) {
	lists, err := c.core.Discovery().ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	lists = discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, lists)
	resources, err := discovery.GroupVersionResources(lists)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for r := range resources {
		kind := strings.TrimSuffix(r.Resource+"."+r.Group, ".")
		if slices.Contains(passing, kind) {
			continue
		}
		items, err := c.unwarned.Resource(r).List(c.ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		for _, item := range items.Items {
			names[fmt.Sprintf("%s %s/%s", kind, item.GetNamespace(), item.GetName())] = true
		}
	}
	return names, nil
}

func besides(before, after map[string]bool) []string {
	more := maps.Clone(after)
	maps.DeleteFunc(more, func(name string, _ bool) bool { return before[name] })
	return slices.Sorted(maps.Keys(more))
}

// statefulSet is the one among the objects.
func statefulSet(objects []*object) (*appsv1.StatefulSet, error) {
	for _, o := range objects {
		if o.GetKind() == "StatefulSet" {
			set := &appsv1.StatefulSet{}
			return set, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, set)
		}
	}
	return nil, errors.New("no StatefulSet")
}

// give makes what a pod needs and the chart does not make: Secrets, ConfigMaps, claims, the class of
// its priority. Their content is never read here.
func (c *cluster) give(namespace string, pod corev1.PodSpec, made []*object) error {
	if pod.PriorityClassName != "" {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: pod.PriorityClassName}, Value: 1000}
		if _, err := c.core.SchedulingV1().PriorityClasses().Create(c.ctx, class, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for _, volume := range pod.Volumes {
		var err error
		switch source := volume.VolumeSource; {
		case source.Secret != nil:
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: source.Secret.SecretName}}
			_, err = c.core.CoreV1().Secrets(namespace).Create(c.ctx, secret, metav1.CreateOptions{})
		case source.ConfigMap != nil && !contains(made, "ConfigMap", source.ConfigMap.Name):
			file := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: source.ConfigMap.Name}}
			_, err = c.core.CoreV1().ConfigMaps(namespace).Create(c.ctx, file, metav1.CreateOptions{})
		case source.PersistentVolumeClaim != nil:
			claim := &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Name: source.PersistentVolumeClaim.ClaimName},
				Spec: corev1.PersistentVolumeClaimSpec{
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources: corev1.VolumeResourceRequirements{
						Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
					},
				},
			}
			_, err = c.core.CoreV1().PersistentVolumeClaims(namespace).Create(c.ctx, claim, metav1.CreateOptions{})
		}
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func contains(objects []*object, kind, name string) bool {
	return slices.ContainsFunc(objects, func(o *object) bool { return o.GetKind() == kind && o.GetName() == name })
}
