import java.io.FileInputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.Utils;
import site.ycsb.Workload;
import site.ycsb.measurements.Measurements;

/**
 * Prints what YCSB's own workload, by property files, asks a database for, a line for each call. The
 * database is a stand-in, for tests alone; the properties, the workload and all it draws are YCSB's.
 */
public final class Drawn extends DB {
  private static final PrintStream OUT = new PrintStream(System.out, false);

  public static void main(String[] files) throws Exception {
    for (String file : files) {
      Properties properties = new Properties();
      try (FileInputStream in = new FileInputStream(file)) {
        properties.load(in);
      }
      Measurements.setProperties(properties);
      Workload workload =
          (Workload) Class.forName(properties.getProperty("workload")).getConstructor().newInstance();
      workload.init(properties);
      Object state = workload.initThread(properties, 0, 1);
      DB database = new Drawn();
      OUT.println("load " + file);
      String records = properties.getProperty("recordcount");
      long inserts = Long.parseLong(properties.getProperty("insertcount", records));
      for (long done = 0; done < inserts; done++) {
        workload.doInsert(database, state);
      }
      OUT.println("run " + file);
      long operations = Long.parseLong(properties.getProperty("operationcount"));
      for (long done = 0; done < operations; done++) {
        workload.doTransaction(database, state);
      }
    }
    OUT.flush();
  }

  private static Status told(String call, String key, Object detail) {
    OUT.println(call + " " + key + " " + detail);
    return Status.OK;
  }

  private static String fields(Set<String> names) {
    return names == null ? "all" : String.join(",", names);
  }

  private static Status written(String call, String key, Map<String, ByteIterator> values) {
    StringBuilder found = new StringBuilder();
    for (Map.Entry<String, ByteIterator> each : new TreeMap<>(values).entrySet()) {
      ByteIterator value = each.getValue();
      String told =
          switch (each.getKey()) {
            case "YCSBTS" -> "" + Utils.bytesToLong(value.toArray());
            case "YCSBV" -> "" + value.bytesLeft();
            default -> key.startsWith("user") ? "" + value.bytesLeft() : value.toString();
          };
      found.append(found.length() == 0 ? "" : ",").append(each.getKey()).append("=").append(told);
    }
    return told(call, key, found);
  }

  @Override
  public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    return told("read", key, fields(fields));
  }

  @Override
  public Status scan(
      String table,
      String start,
      int count,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return told("scan", start, count);
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    return written("update", key, values);
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return written("insert", key, values);
  }

  @Override
  public Status delete(String table, String key) {
    return told("delete", key, "");
  }
}
