package io.tallystick.proxy.edge;

import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.CreateLedgerResponse;
import io.tallystick.api.v1.EraseCertificatesRequest;
import io.tallystick.api.v1.EraseCertificatesResponse;
import io.tallystick.api.v1.GetCertificatesRequest;
import io.tallystick.api.v1.GetCertificatesResponse;
import io.tallystick.api.v1.GetLedgerRequest;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.Ledger;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.ListLedgersRequest;
import io.tallystick.api.v1.ListLedgersResponse;
import io.tallystick.api.v1.ListMembersRequest;
import io.tallystick.api.v1.ListMembersResponse;
import io.tallystick.api.v1.ServiceDescription;
import io.tallystick.api.v1.ShowCertificatesRequest;
import io.tallystick.api.v1.ShowCertificatesResponse;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.Member;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.proxy.access.Founders;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.PageLimit;
import io.tallystick.proxy.read.ReadableCertificates;
import io.tallystick.proxy.read.ReadableLedgers;

/// Ledgers and their members on the wire.
final class LedgerEndpoint extends LedgerServiceGrpc.LedgerServiceImplBase {
  private final LedgerRegistry registry;
  private final ReadAccess access;
  private final Founders founders;
  private final Calls calls;
  private final String version;

  LedgerEndpoint(
      LedgerRegistry registry, ReadAccess access, Founders founders, Calls calls, String version) {
    this.registry = registry;
    this.access = access;
    this.founders = founders;
    this.calls = calls;
    this.version = version;
  }

  @Override
  public void getServiceDescription(
      GetServiceDescriptionRequest request, StreamObserver<ServiceDescription> response) {
    calls.answer(response, this::description);
  }

  private ServiceDescription description() {
    ServiceIdentity identity = registry.identity();
    return ServiceDescription.newBuilder()
        .setAuthority(identity.authority().value())
        .setNoteKeySpki(ToProto.bytes(identity.noteKey().spki()))
        .setReceiptKeySpki(ToProto.bytes(identity.receiptKey().spki()))
        .setTimeMs(registry.timeMs())
        .setDefaultWindowMs(GenesisParams.DEFAULT_WINDOW_MS)
        .setMaxRequestBytes(Limits.REQUEST_BYTES_MAX)
        .setMaxBatchCount(Limits.BATCH_COUNT_MAX)
        .setMaxBatchBytes(Limits.BATCH_BYTES_MAX)
        .setVersion(version)
        .build();
  }

  @Override
  public void createLedger(
      CreateLedgerRequest request, StreamObserver<CreateLedgerResponse> response) {
    calls.answer(response, () -> create(request));
  }

  private CreateLedgerResponse create(CreateLedgerRequest request) throws RequestRejectedException {
    CreatedLedger created =
        registry.create(
            FromProto.bytes(request.getGenesisParams()),
            FromProto.bytes(request.getAttestation()),
            FromProto.ledgerName(request),
            founders.ruleFor(request.getInvitation().isEmpty() ? null : request.getInvitation()));
    return ToProto.created(created, ledgers().founded(created));
  }

  @Override
  public void getLedger(GetLedgerRequest request, StreamObserver<Ledger> response) {
    calls.answer(
        response,
        () -> ToProto.ledger(ledgers().ledger(FromProto.ledgerId(request.getLedgerId()))));
  }

  @Override
  public void listLedgers(
      ListLedgersRequest request, StreamObserver<ListLedgersResponse> response) {
    calls.answer(
        response,
        () -> {
          int limit = PageLimit.of(Integer.toUnsignedLong(request.getLimit()));
          LedgerId after =
              request.getAfterLedgerId().isEmpty()
                  ? null
                  : FromProto.ledgerId("after_ledger_id", request.getAfterLedgerId());
          return ToProto.page(ledgers().page(after, limit));
        });
  }

  @Override
  public void listMembers(
      ListMembersRequest request, StreamObserver<ListMembersResponse> response) {
    calls.answer(
        response,
        () -> ToProto.members(ledgers().members(FromProto.ledgerId(request.getLedgerId()))));
  }

  @Override
  public void showCertificates(
      ShowCertificatesRequest request, StreamObserver<ShowCertificatesResponse> response) {
    calls.answer(
        response,
        () -> {
          ReadableCertificates.Shown shown =
              certificates()
                  .show(
                      FromProto.ledgerId(request.getLedgerId()),
                      FromProto.chain(request.getChain()));
          ShowCertificatesResponse.Builder answer =
              ShowCertificatesResponse.newBuilder()
                  .setCertDigest(ToProto.bytes(shown.chain().digest()));
          if (shown.untilMs() != Member.NEVER) {
            answer.setUntilMs(shown.untilMs());
          }
          return answer.build();
        });
  }

  @Override
  public void getCertificates(
      GetCertificatesRequest request, StreamObserver<GetCertificatesResponse> response) {
    calls.answer(
        response,
        () ->
            GetCertificatesResponse.newBuilder()
                .setChain(ToProto.bytes(certificates(request).encode()))
                .build());
  }

  private CertificateChain certificates(GetCertificatesRequest request)
      throws RequestRejectedException {
    LedgerId ledger = FromProto.ledgerId(request.getLedgerId());
    return request.hasKid()
        ? certificates().ofMember(ledger, FromProto.kid(request.getKid()))
        : certificates().named(ledger, FromProto.certDigest(request.getCertDigest()));
  }

  @Override
  public void eraseCertificates(
      EraseCertificatesRequest request, StreamObserver<EraseCertificatesResponse> response) {
    calls.answer(
        response,
        () -> {
          certificates()
              .erase(
                  FromProto.ledgerId(request.getLedgerId()),
                  FromProto.certDigest(request.getCertDigest()));
          return EraseCertificatesResponse.getDefaultInstance();
        });
  }

  private ReadableCertificates certificates() {
    return new ReadableCertificates(registry, access, BearerInterceptor.current());
  }

  private ReadableLedgers ledgers() {
    return new ReadableLedgers(registry, access, BearerInterceptor.current());
  }
}
