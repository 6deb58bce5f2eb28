// A level in a loop, from C#: ticks, positions, the hash. `Courtyard LEVEL [TICKS]`.
using System;
using System.Runtime.InteropServices;
using System.Text;
using Walkon;

public static unsafe class Courtyard
{
    // Ends the program with what was wrong, unless a call came to `OK`.
    static void Expect(WalkonStatus status, string what)
    {
        if (status == WalkonStatus.Ok) return;
        var message = new byte[8192];
        fixed (byte* data = message)
        {
            var room = new WalkonBuffer { data = data, size = (nuint)(uint)message.Length };
            // A text that does not fit is not written at all.
            int length = Native.walkon_last_error(&room) == WalkonStatus.Ok ? (int)room.length : 0;
            throw new InvalidOperationException(what + ": " + Encoding.UTF8.GetString(message, 0, length));
        }
    }

    static WalkonLevel* Open(string path)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(path);
        fixed (byte* data = bytes)
        {
            WalkonLevel* level = null;
            var text = new WalkonText { data = data, length = (nuint)(uint)bytes.Length };
            Expect(Native.walkon_level_open(text, &level), "open");
            return level;
        }
    }

    public static int Main(string[] arguments)
    {
        if (arguments.Length < 1)
        {
            Console.Error.WriteLine("usage: Courtyard LEVEL [TICKS]");
            return 2;
        }
        ulong ticks = arguments.Length > 1 ? ulong.Parse(arguments[1]) : 3600;
        WalkonLevel* level = Open(arguments[0]);
        WalkonGame* game = null;
        Expect(Native.walkon_game_start(level, default(WalkonText), &game), "start");
        // A game goes on without its level.
        Native.walkon_level_free(level);

        nuint count = default(nuint);
        Expect(Native.walkon_game_character_count(game, &count), "count");
        var poses = new WalkonPose[(int)count + 8];
        for (ulong tick = 0; tick < ticks; tick++)
        {
            Expect(Native.walkon_game_tick(game, default(WalkonText)), "tick");
            fixed (WalkonPose* first = poses)
            {
                Expect(Native.walkon_game_poses(game, first, (nuint)(uint)poses.Length, &count), "poses");
                if (tick % 600 == 0) Console.WriteLine("{0,6}: {1:F2}, {2:F2}", tick, first->position[0], first->position[2]);
            }
        }
        ulong hash = 0;
        Expect(Native.walkon_game_hash(game, &hash), "hash");
        Console.WriteLine("hash {0:x16}", hash);
        Expect(Native.walkon_game_end(game), "end");
        Expect(Native.walkon_game_free(game), "free");
        return 0;
    }
}
