package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	startMax = 90 * time.Second
	stopMax  = 15 * time.Second
	waitMax  = 30 * time.Second
	pollEach = 50 * time.Millisecond
)

// cluster is three servers on loopback. Their files are in one folder, and go with it.
type cluster struct {
	ctx      context.Context
	dir      string
	config   *rest.Config
	core     kubernetes.Interface
	objects  dynamic.Interface
	unwarned dynamic.Interface
	servers  []*server
	warnings warnings
}

type server struct {
	name    string
	command *exec.Cmd
	ended   chan struct{}
}

// warnings are what the API server says about requests that it takes.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

// take empties them.
func (w *warnings) take() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	texts := w.texts
	w.texts = nil
	return texts
}

func (c *cluster) start() error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	token, err := c.secrets()
	if err != nil {
		return err
	}
	client, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	if err := c.launch("etcd", "--data-dir="+c.path("etcd"), "--unsafe-no-fsync",
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer,
		"--initial-cluster=default="+peer); err != nil {
		return err
	}
	// Privileged pods are allowed here, so that nothing but PodSecurity refuses them.
	if err := c.launch("kube-apiserver", "--etcd-servers="+client, "--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1", "--secure-port="+ports[2], "--cert-dir="+c.path("certificates"),
		"--authorization-mode=RBAC", "--token-auth-file="+c.path("tokens.csv"), "--anonymous-auth=false",
		"--service-cluster-ip-range=10.96.0.0/16", "--endpoint-reconciler-type=none",
		"--service-account-issuer=https://kubernetes.default.svc", "--allow-privileged=true",
		"--service-account-key-file="+c.path("accounts.pem"),
		"--service-account-signing-key-file="+c.path("accounts.pem")); err != nil {
		return err
	}
	if err := c.connect("https://127.0.0.1:"+ports[2], token); err != nil {
		return err
	}
	return c.launch("kube-controller-manager", "--kubeconfig="+c.path("kubeconfig"), "--leader-elect=false",
		"--secure-port=0", "--service-account-private-key-file="+c.path("accounts.pem"),
		"--root-ca-file="+c.path("certificates/apiserver.crt"))
}

// secrets writes the administrator's token, which it gives, and the key that signs those of service accounts.
func (c *cluster) secrets() (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	if err := os.WriteFile(c.path("accounts.pem"), pem.EncodeToMemory(block), 0o600); err != nil {
		return "", err
	}
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	token := hex.EncodeToString(random)
	return token, os.WriteFile(c.path("tokens.csv"), []byte(token+",admin,admin,system:masters\n"), 0o600)
}

// connect waits until the API server is ready, and writes how to reach it for Helm and the controllers.
func (c *cluster) connect(address, token string) error {
	c.config = &rest.Config{
		Host: address, BearerToken: token, QPS: -1, WarningHandler: &c.warnings,
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.path("certificates/apiserver.crt")},
	}
	access := clientcmdapi.NewConfig()
	access.Clusters["trial"] = &clientcmdapi.Cluster{Server: address, CertificateAuthority: c.config.CAFile}
	access.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: token}
	access.Contexts["trial"] = &clientcmdapi.Context{Cluster: "trial", AuthInfo: "admin"}
	access.CurrentContext = "trial"
	if err := clientcmd.WriteToFile(*access, c.path("kubeconfig")); err != nil {
		return err
	}
	ready := func(ctx context.Context) (bool, error) {
		if err := c.alive(); err != nil {
			return false, err
		}
		if _, err := os.Stat(c.config.CAFile); err != nil {
			return false, nil
		}
		core, err := kubernetes.NewForConfig(c.config)
		if err != nil {
			return false, nil // the certificate is half written
		}
		c.core = core
		return core.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil, nil
	}
	if err := wait.PollUntilContextTimeout(c.ctx, 4*pollEach, startMax, true, ready); err != nil {
		return fmt.Errorf("the API server is not ready: %w", err)
	}
	unwarned := rest.CopyConfig(c.config)
	unwarned.WarningHandler = rest.NoWarnings{}
	var err error
	if c.unwarned, err = dynamic.NewForConfig(unwarned); err != nil {
		return err
	}
	c.objects, err = dynamic.NewForConfig(c.config)
	return err
}

// launch starts one of the parts of this program.
func (c *cluster) launch(name string, arguments ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.Create(c.path(name + ".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(self, append([]string{name}, arguments...)...)
	command.Dir, command.Stdout, command.Stderr = c.dir, log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return err
	}
	s := &server{name: name, command: command, ended: make(chan struct{})}
	c.servers = append(c.servers, s)
	go func() {
		_ = command.Wait()
		close(s.ended)
	}()
	return nil
}

// alive fails if a server has ended, with its last line.
func (c *cluster) alive() error {
	for _, s := range c.servers {
		select {
		case <-s.ended:
			log, _ := os.ReadFile(c.path(s.name + ".log"))
			lines := strings.Split(string(bytes.TrimSpace(log)), "\n")
			return fmt.Errorf("%s ended: %s", s.name, lines[len(lines)-1])
		default:
		}
	}
	return nil
}

// stop ends the servers, the last one first, and waits for them.
func (c *cluster) stop() {
	for at := len(c.servers) - 1; at >= 0; at-- {
		s := c.servers[at]
		_ = s.command.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.ended:
		case <-time.After(stopMax):
			_ = s.command.Process.Kill()
			<-s.ended
		}
	}
}

// until waits for what done says, and fails with what it is waiting for.
func (c *cluster) until(what string, done func() (bool, error)) error {
	condition := func(context.Context) (bool, error) {
		if err := c.alive(); err != nil {
			return false, err
		}
		return done()
	}
	err := wait.PollUntilContextTimeout(c.ctx, pollEach, waitMax, true, condition)
	if wait.Interrupted(err) {
		return fmt.Errorf("%s: not so after %s", what, waitMax)
	}
	return err
}

func (c *cluster) path(name string) string {
	return filepath.Join(c.dir, name)
}

// freePorts are free now, and different.
func freePorts(count int) ([]string, error) {
	ports := make([]string, count)
	for at := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		_, ports[at], err = net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return nil, err
		}
	}
	return ports, nil
}
