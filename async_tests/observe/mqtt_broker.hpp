#pragma once

#include "skipped.hpp"
#include "store/loopback_server.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft_tests {

/** A real MQTT broker of this machine. */
class mqtt_broker {
public:
    /** Whether there is one; else says that the test is skipped. */
    [[nodiscard]] static bool is_installed()
    {
        return !program().empty() || say_skipped("mosquitto is not installed: scripts/install-deps --services");
    }

    mqtt_broker()
    {
        server_.start([this](std::uint16_t port) {
            server_.write_file("mosquitto.conf", "listener " + std::to_string(port) +
                                                     " 127.0.0.1\nallow_anonymous true\npersistence false\n"
                                                     "log_dest file " + (server_.folder() / "log").string() + "\n");
            return std::vector<std::string>{program(), "-c", (server_.folder() / "mosquitto.conf").string()};
        });
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return server_.port(); }
    void kill() noexcept { server_.kill(); }
    void restart() { server_.restart(); }

private:
    static std::string program()
    {
        return loopback_server::find_program(
            {"/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"});
    }

    loopback_server server_{"mosquitto"};
};

}  // namespace weft_tests
