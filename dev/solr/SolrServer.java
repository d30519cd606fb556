import java.net.InetSocketAddress;
import java.util.EnumSet;
import javax.servlet.DispatcherType;
import org.apache.solr.servlet.CoreContainerProvider;
import org.apache.solr.servlet.SolrDispatchFilter;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.DefaultServlet;
import org.eclipse.jetty.servlet.ServletContextHandler;

/** Solr on loopback, without the start scripts and the web interface of its archive. */
public final class SolrServer {
    public static void main(String[] args) {
        int port = Integer.parseInt(args[0]);
        try {
            Server server = new Server(new InetSocketAddress("127.0.0.1", port));
            server.setHandler(solr());
            // A stop by signal closes the cores in order, so nothing is replayed at the next start.
            server.setStopAtShutdown(true);
            server.start();
            System.out.println("Solr listens on port " + port);
        } catch (Exception error) {
            // Solr's threads would keep a server alive that has no port.
            error.printStackTrace();
            System.exit(1);
        }
    }

    private static ServletContextHandler solr() {
        ServletContextHandler context = new ServletContextHandler();
        context.setContextPath("/solr");
        context.addEventListener(new CoreContainerProvider());
        context.addFilter(SolrDispatchFilter.class, "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(DefaultServlet.class, "/");
        return context;
    }
}
