from tiltmeter.cli import main

main()
