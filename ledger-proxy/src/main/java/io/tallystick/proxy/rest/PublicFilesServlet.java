package io.tallystick.proxy.rest;

import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BundlePiece;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerPurges;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import io.tallystick.proxy.access.ReadGrant;
import io.tallystick.proxy.read.ReadableLog;
import io.tallystick.proxy.read.ReadablePurges;
import io.tallystick.proxy.witness.CosignedHeads;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileName;
import io.tallystick.tile.TilePath;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.HandlerMapping;

/// The public read path: a ledger's log as the files of C2SP tlog-tiles, at the path its origin
/// names. Files are cut on demand; what a path names never changes, so all but the checkpoint may
/// be kept for ever. Those of a ledger that is not public need a member's token. Auditors ask for
/// four files for every 256 journals, and the framework would take long to find a handler for each;
/// hence a servlet beside it. Source: docs/formats/tiles.md, docs/decisions/0026-rest-answers.md.
final class PublicFilesServlet extends HttpServlet {
  /// The paths it is mapped to.
  static final String PATHS = "/l/*";

  private static final long serialVersionUID = 1;

  private static final String PREFIX = "/l/";
  private static final String ROUTE = PREFIX + "{ledger}/{strand}/";
  private static final String CHECKPOINT = "checkpoint";

  /// With what the log begins, after a purge.
  private static final String PSEUDO_GENESIS = "pseudo-genesis";

  private static final String WINDOW = TilePath.SNAPSHOT_WINDOW;
  private static final String CLUES = TilePath.SNAPSHOT_CLUES;
  private static final String STATE = TilePath.SNAPSHOT_STATE;

  /// How the service's keys came from those of genesis, if they were rotated.
  private static final String KEY_CHAIN = "key-chain";

  private static final Set<String> WHOLE_FILES =
      Set.of(CHECKPOINT, KEY_CHAIN, PSEUDO_GENESIS, WINDOW, CLUES, STATE);

  /// The whole query with which the newest cosigned head is asked for.
  private static final String COSIGNED = "cosigned=true";

  private static final List<String> FOLDERS = List.of("tile/", "bodies/");
  private static final String ALLOWED = "GET, HEAD, OPTIONS";
  private static final String FOR_EVER = "public, max-age=31536000, immutable";
  private static final String FOR_A_WHILE = "public, max-age=300, must-revalidate";
  private static final String NO_STORE = "no-store";
  private static final String NO_CACHE = "no-cache";
  private static final String TEXT = "text/plain;charset=utf-8";

  private final transient LedgerRegistry registry;
  private final transient ReadAccess access;
  private final transient CosignedHeads heads;
  private final transient PlatformThreads threads;
  private final transient RestProblems problems;

  PublicFilesServlet(
      LedgerRegistry registry,
      ReadAccess access,
      CosignedHeads heads,
      PlatformThreads threads,
      RestProblems problems) {
    this.registry = registry;
    this.access = access;
    this.heads = heads;
    this.threads = threads;
    this.problems = problems;
  }

  /// A file by its path, none of whose parts is decoded: those that there are need no escapes.
  ///
  /// @param file below the log, of one of its {@link #FOLDERS} or {@link #WHOLE_FILES}
  private record FilePath(String ledger, String strand, String file) {
    static Optional<FilePath> parse(String uri) {
      int ledgerEnd = uri.indexOf('/', PREFIX.length());
      int strandEnd = uri.indexOf('/', ledgerEnd + 1);
      if (!uri.startsWith(PREFIX) || ledgerEnd < 0 || strandEnd < 0) {
        return Optional.empty();
      }
      FilePath path =
          new FilePath(
              uri.substring(PREFIX.length(), ledgerEnd),
              uri.substring(ledgerEnd + 1, strandEnd),
              uri.substring(strandEnd + 1));
      return path.pattern().map(_ -> path);
    }

    /// The route, as meters and spans name it.
    Optional<String> pattern() {
      return WHOLE_FILES.contains(file)
          ? Optional.of(ROUTE + file)
          : FOLDERS.stream().filter(file::startsWith).findFirst().map(at -> ROUTE + at + "**");
    }

    StrandId log() throws RequestRejectedException {
      if (!strand.equals("0")) {
        throw new RequestRejectedException(
            RejectionCode.OUT_OF_RANGE, "a ledger has strand 0 only");
      }
      return Paths.strand(ledger);
    }
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Optional<FilePath> path = FilePath.parse(request.getRequestURI());
    if (path.isEmpty()) {
      ProblemWriter.write(response, ProblemDocument.noRoute(TraceId.of(request)));
      return;
    }
    switch (request.getMethod()) {
      case "GET", "HEAD" -> {
        request.setAttribute(
            HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE, path.get().pattern().orElseThrow());
        request.setAttribute(
            HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, Map.of("ledger", path.get().ledger()));
        answer(path.get(), request, response);
      }
      case "OPTIONS" -> response.setHeader(HttpHeaders.ALLOW, ALLOWED);
      default -> {
        response.setHeader(HttpHeaders.ALLOW, ALLOWED);
        ProblemWriter.write(
            response,
            ProblemDocument.wrongMethod(request.getMethod(), ALLOWED, TraceId.of(request)));
      }
    }
  }

  private void answer(FilePath path, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try {
      Bearer bearer = Bearer.of(request.getHeader(HttpHeaders.AUTHORIZATION));
      if (path.file().equals(CHECKPOINT)) {
        checkpoint(path.log(), bearer, COSIGNED.equals(request.getQueryString()), response);
        return;
      }
      StrandId log = path.log();
      if (WHOLE_FILES.contains(path.file())) {
        ReadablePurges purges = new ReadablePurges(registry, access, bearer);
        switch (path.file()) {
          case CLUES -> parts((from, at) -> purges.clues(log, from, at), request, response);
          case STATE -> parts((from, at) -> purges.state(log, from, at), request, response);
          default -> whole(log, path.file(), purges, response);
        }
        return;
      }
      Optional<TileName> name = TileName.parse(path.file());
      if (name.isPresent()) {
        file(log, name.get(), bearer, request, response);
      } else {
        ProblemWriter.write(response, ProblemDocument.noRoute(TraceId.of(request)));
      }
    } catch (BrokenOffException e) {
      throw e; // to the server, which cuts the connection
    } catch (RequestRejectedException | IOException | RuntimeException | Error e) {
      problems.answer(e, request, response);
    }
  }

  private void checkpoint(
      StrandId log, Bearer bearer, boolean cosigned, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    byte[] newest =
        threads.call(() -> access.node(log.ledger(), bearer, Scope.EVIDENCE).checkpoint(log));
    Bytes note = heads.note(log, Bytes.wrap(newest), cosigned);
    response.setHeader(HttpHeaders.CACHE_CONTROL, NO_CACHE);
    PlainAnswer.write(response, TEXT, note.toArray());
  }

  /// A later purge or rotation replaces them.
  private void whole(StrandId log, String file, ReadablePurges purges, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    Bytes bytes =
        threads.call(() ->
            switch (file) {
              case KEY_CHAIN -> keyChain(new ReadableLog(access, purges.bearer(), log));
              case WINDOW -> purges.window(log);
              default -> purges.pseudoGenesis(log);
            });
    response.setHeader(HttpHeaders.CACHE_CONTROL, NO_CACHE);
    PlainAnswer.write(response, MediaType.APPLICATION_OCTET_STREAM_VALUE, bytes.toArray());
  }

  private interface PurgeFile {
    /// @param firstKept of the purge; 0: the last one's
    LedgerPurges.FilePart part(long firstKept, long offset) throws RequestRejectedException;
  }

  /// Part after part, of one purge.
  private void parts(PurgeFile file, HttpServletRequest request, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    LedgerPurges.FilePart part = threads.call(() -> file.part(0, 0));
    response.setHeader(HttpHeaders.CACHE_CONTROL, NO_CACHE);
    response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
    response.setContentLengthLong(part.fileBytes());
    OutputStream out = response.getOutputStream();
    out.write(part.bytes().unsafeArray());
    long firstKept = part.firstKept();
    for (long at = part.bytes().size(); at < part.fileBytes(); at += part.bytes().size()) {
      long offset = at;
      try {
        part = threads.call(() -> file.part(firstKept, offset));
      } catch (RequestRejectedException | RuntimeException | Error e) {
        problems.brokenOff(e, request);
        throw new BrokenOffException(e);
      }
      out.write(part.bytes().unsafeArray());
    }
  }

  private static Bytes keyChain(ReadableLog log) throws RequestRejectedException {
    KeyChain chain = log.keyChain();
    if (chain.equals(KeyChain.EMPTY)) {
      throw new RequestRejectedException(
          RejectionCode.OUT_OF_RANGE, "no journal stands in this ledger's key chain");
    }
    return chain.encode();
  }

  private void file(
      StrandId log,
      TileName name,
      Bearer bearer,
      HttpServletRequest request,
      HttpServletResponse response)
      throws RequestRejectedException, IOException {
    Pieces pieces = threads.call(() -> Pieces.open(access, log, bearer, name));
    response.setHeader(
        HttpHeaders.CACHE_CONTROL, cacheControl(name.kind(), pieces.grant.isPublic()));
    response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
    if (pieces.whole()) {
      response.setContentLength(pieces.piece.size());
    }
    OutputStream out = response.getOutputStream();
    out.write(pieces.piece.unsafeArray());
    while (!pieces.whole()) {
      try {
        var _ = threads.call(pieces::readNext);
      } catch (RequestRejectedException | RuntimeException | Error e) {
        problems.brokenOff(e, request);
        throw new BrokenOffException(e);
      }
      // A slow reader holds its own virtual thread, never one that reads files.
      out.write(pieces.piece.unsafeArray());
    }
  }

  /// Hashes stay. What a purge takes is gone from caches some minutes later, and a body, which an
  /// occult takes too, is in none. What only members may read is for their own caches alone.
  private static String cacheControl(TileName.Kind kind, boolean isPublic) {
    String forAll =
        switch (kind) {
          case HASHES -> FOR_EVER;
          case ENTRIES, ATTESTATIONS, OPS -> FOR_A_WHILE;
          case BODIES -> NO_STORE;
        };
    return isPublic ? forAll : forAll.replace("public", "private");
  }

  /// A file that cannot be read to its end after its first bytes left: the connection must end in
  /// the middle, or the file would seem whole.
  private static final class BrokenOffException extends IOException {
    private static final long serialVersionUID = 1;

    BrokenOffException(Throwable cause) {
      super(cause);
    }
  }

  /// A file, one piece after another, so that none has to be held whole.
  private static final class Pieces {
    private final ReadGrant grant;
    private final StrandId strand;
    private final TileName name;
    private final long end;
    private long next;
    private Bytes piece = Bytes.EMPTY;

    private Pieces(ReadGrant grant, StrandId strand, TileName name) {
      this.grant = grant;
      this.strand = strand;
      this.name = name;
      this.next = name.first();
      this.end = next + name.width();
    }

    /// With the first piece, before the first byte leaves: what is refused must be a problem
    /// document.
    static Pieces open(ReadAccess access, StrandId strand, Bearer bearer, TileName name)
        throws RequestRejectedException {
      Scope scope = name.kind() == TileName.Kind.BODIES ? Scope.BODIES : Scope.EVIDENCE;
      Pieces pieces = new Pieces(access.grant(strand.ledger(), bearer, scope), strand, name);
      LedgerNode node = pieces.grant.node();
      if (name.kind() == TileName.Kind.OPS) {
        checkHasState(node, strand);
      }
      if (name.kind() == TileName.Kind.HASHES) {
        pieces.piece = Bytes.wrap(node.tile(strand, name.level(), pieces.next, name.width()));
        pieces.next = pieces.end;
        return pieces;
      }
      pieces.read(); // refused if not all of it is there yet
      return pieces;
    }

    /// A log without a state has no such files.
    private static void checkHasState(LedgerNode node, StrandId strand)
        throws RequestRejectedException {
      try {
        Bytes params = node.ledger(strand.ledger()).genesisParams();
        if (!GenesisParams.decode(params).features().contains(Feature.STATE_FOREST)) {
          throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE, "a log without a state has no operations");
        }
      } catch (MalformedException e) {
        throw new AssertionError("genesis parameters of our own do not decode", e);
      }
    }

    /// Whether the piece that was read last is the last one.
    boolean whole() {
      return next == end;
    }

    /// @return whether it is whole now
    boolean readNext() throws RequestRejectedException {
      grant.recheck();
      read();
      return whole();
    }

    private void read() throws RequestRejectedException {
      BundlePiece read = grant.node().bundle(strand, kind(), next, end);
      piece = read.bytes();
      next = read.next();
    }

    private TileBundle kind() {
      return switch (name.kind()) {
        case ENTRIES -> TileBundle.ENTRIES;
        case ATTESTATIONS -> TileBundle.ATTESTATIONS;
        case OPS -> TileBundle.OPS;
        case BODIES -> TileBundle.BODIES;
        case HASHES -> throw new AssertionError("hashes are no bundle");
      };
    }
  }
}
