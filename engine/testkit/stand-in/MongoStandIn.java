import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/**
 * A wire-compatible stand-in, not MongoDB: mongo-java-server, a server in memory that answers
 * MongoDB's protocol. It shows whether a driver speaks the protocol; nothing that is measured on it
 * says anything of MongoDB.
 *
 * <p>Listens on 127.0.0.1 on the port given (0: a free one), prints the port on a line of its own,
 * and runs until it is killed. What it held is gone then.
 */
public final class MongoStandIn {
  private MongoStandIn() {}

  /** What it says it is: of those versions that the client library still takes. */
  private static final class Version implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 13;
    }
  }

  public static void main(String[] arguments) {
    if (arguments.length != 1) {
      System.err.println("usage: MongoStandIn PORT");
      System.exit(2);
    }
    MemoryBackend backend = new MemoryBackend();
    backend.version(new Version());
    MongoServer server = new MongoServer(backend);
    server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
    System.out.println(server.getLocalAddress().getPort());
  }
}
