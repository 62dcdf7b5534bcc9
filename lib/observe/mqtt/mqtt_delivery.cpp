#include <weft/observe/mqtt_delivery.hpp>

#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>

#include <mosquitto.h>

#include <limits>
#include <mutex>
#include <set>

namespace weft {

namespace {

constexpr int keep_alive_seconds = 60;
constexpr int look_every_ms = 50;  // for a stop, and for the end of time
constexpr int at_least_once = 1;

struct mosquitto_closer {
    void operator()(mosquitto* client) const noexcept { mosquitto_destroy(client); }
};

void open_library()
{
    static std::once_flag once;
    std::call_once(once, [] { mosquitto_lib_init(); });
}

bool is_this_machine(const std::string& host)
{
    return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

}  // namespace

struct mqtt_delivery::part {
    explicit part(mqtt_options how) : options{std::move(how)}
    {
        label = "mqtt at " + options.host + ":" + std::to_string(options.port);
        const bool is_open = options.ca_file.empty() && !is_this_machine(options.host);
        if (!options.password.empty() && is_open && !options.secrets_without_tls)
            refuse("a password would go to another machine without TLS: give ca_file");
        if (options.topic.empty() || options.topic.find_first_of("+#") != std::string::npos)
            refuse("'" + options.topic + "' is no topic to publish to: it is not empty and has no + and #");
    }
    [[noreturn]] void refuse(std::string why) const { throw error{errc::invalid_configuration, label, std::move(why)}; }

    void open(const std::stop_token& stop);
    void make_client();
    void send_all(std::span<const std::string> events, const std::stop_token& stop);
    template <class Done>
    void turn_until(const std::stop_token& stop, errc lost, std::string_view waits_for, Done is_done);

    mqtt_options options;
    std::string label;
    std::unique_ptr<mosquitto, mosquitto_closer> client;
    int answer = -1;          // of the broker to our greeting; -1: none yet
    std::set<int> unanswered; // messages without a receipt
};

void mqtt_delivery::part::make_client()
{
    open_library();
    const char* const id = options.client_id.empty() ? nullptr : options.client_id.c_str();
    client.reset(mosquitto_new(id, true, this));
    if (!client) refuse("the library makes no client: is the client_id right?");
    mosquitto_connect_callback_set(client.get(), [](mosquitto*, void* self, int code) {
        static_cast<part*>(self)->answer = code;
    });
    mosquitto_publish_callback_set(client.get(), [](mosquitto*, void* self, int message) {
        static_cast<part*>(self)->unanswered.erase(message);
    });
    if (!options.user.empty() || !options.password.empty())
        mosquitto_username_pw_set(client.get(), options.user.c_str(),
                                  std::string{options.password.reveal()}.c_str());
    if (options.ca_file.empty()) return;
    const int code = mosquitto_tls_set(client.get(), options.ca_file.c_str(), nullptr, nullptr, nullptr, nullptr);
    if (code != MOSQ_ERR_SUCCESS) refuse(std::string{"ca_file: "} + mosquitto_strerror(code));
}

/** Lets the library do its work until something is so. */
template <class Done>
void mqtt_delivery::part::turn_until(const std::stop_token& stop, errc lost, std::string_view waits_for, Done is_done)
{
    time_point give_up = real_clock().now() + options.timeout;
    while (!is_done()) {
        if (stop.stop_requested()) throw error{errc::cancelled, label};
        if (real_clock().now() >= give_up)
            throw error{errc::timeout, label, "no " + std::string{waits_for} + " came in time"};
        const auto before = unanswered.size();
        const int code = mosquitto_loop(client.get(), look_every_ms, 1);
        if (code != MOSQ_ERR_SUCCESS) throw error{lost, label, mosquitto_strerror(code)};
        if (unanswered.size() != before) give_up = real_clock().now() + options.timeout;  // it works on it
    }
}

void mqtt_delivery::part::open(const std::stop_token& stop)
{
    if (client) return;
    make_client();
    answer = -1;
    unanswered.clear();
    const int code = mosquitto_connect(client.get(), options.host.c_str(), options.port, keep_alive_seconds);
    if (code != MOSQ_ERR_SUCCESS) throw error{errc::connect_failed, label, mosquitto_strerror(code)};
    turn_until(stop, errc::connect_failed, "greeting", [this] { return answer >= 0; });
    if (answer != 0) throw error{errc::connect_failed, label, mosquitto_connack_string(answer)};
}

void mqtt_delivery::part::send_all(std::span<const std::string> events, const std::stop_token& stop)
{
    for (const std::string& event : events) {
        if (event.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            throw error{errc::limit_reached, label, "the event is too large"};
        int message = 0;
        const int code = mosquitto_publish(client.get(), &message, options.topic.c_str(),
                                           static_cast<int>(event.size()), event.data(), at_least_once, false);
        if (code != MOSQ_ERR_SUCCESS) throw error{errc::connection_lost, label, mosquitto_strerror(code)};
        unanswered.insert(message);
    }
    turn_until(stop, errc::connection_lost, "receipt", [this] { return unanswered.empty(); });
}

mqtt_delivery::mqtt_delivery(mqtt_options options) : part_{std::make_unique<part>(std::move(options))} {}

mqtt_delivery::~mqtt_delivery()
{
    if (part_->client) mosquitto_disconnect(part_->client.get());
}

std::string_view mqtt_delivery::label() const noexcept { return part_->label; }

void mqtt_delivery::deliver(std::span<const std::string> events, std::stop_token stop)
{
    try {
        part_->open(stop);
        part_->send_all(events, stop);
    } catch (...) {
        part_->client.reset();  // the next delivery begins with a new connection
        throw;
    }
}

}  // namespace weft
